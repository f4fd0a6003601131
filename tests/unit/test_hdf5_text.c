/* String attributes as written by different programs, and which types count as numbers. */
#define _POSIX_C_SOURCE 200809L
#include "snapshot_fixture.h"

#include "io/hdf5/hdf5_text.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char FILE_NAME[] = "test_hdf5_text.h5";
enum { SIZE = 16 };

static bool read_one(const char *name, char *text)
{
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool good = hdf5_text_attribute(file, name, SIZE, text);
    H5Fclose(file);
    return good;
}

/* Published test vectors of FNV-1a (Noll). */
static void hashes_of_text(void **state)
{
    (void)state;
    char hash[HDF5_HASH_SIZE];
    hdf5_text_hash("", hash);
    assert_string_equal(hash, "cbf29ce484222325");
    hdf5_text_hash("a", hash);
    assert_string_equal(hash, "af63dc4c8601ec8c");
    hdf5_text_hash("foobar", hash);
    assert_string_equal(hash, "85944171f73967e8");
}

static void texts_of_fixed_and_variable_length(void **state)
{
    (void)state;
    char text[SIZE];
    H5Fclose(H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    set_text(FILE_NAME, "/", "fixed", "km/s", false);
    set_text(FILE_NAME, "/", "variable", "cm-3", true);
    set_text(FILE_NAME, "/", "padded", "pc    ", true);
    set_text(FILE_NAME, "/", "long", "a text of more than fifteen", true);
    set_text(FILE_NAME, "/", "long_fixed", "a text of more than fifteen", false);
    set_numbers(FILE_NAME, "number", H5T_IEEE_F64LE, 1, (const double[]){1});
    assert_true(read_one("fixed", text));
    assert_string_equal(text, "km/s");
    assert_true(read_one("variable", text));
    assert_string_equal(text, "cm-3");
    assert_true(read_one("padded", text));
    assert_string_equal(text, "pc");
    assert_false(read_one("long", text));
    assert_false(read_one("long_fixed", text));
    assert_false(read_one("number", text));
    assert_false(read_one("absent", text));
    unlink(FILE_NAME);
}

static void lists_of_texts(void **state)
{
    (void)state;
    const char *const names[] = {"rho", "press", "vel1"};
    char texts[4][32];
    int n = 0;
    H5Fclose(H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    set_texts(FILE_NAME, "names", names, 3);
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), id = H5Aopen(file, "names", H5P_DEFAULT);
    assert_true(hdf5_text_read(id, 4, 32, texts[0], &n));
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(texts[i], names[i]);
    assert_false(hdf5_text_read(id, 2, 32, texts[0], &n));
    assert_int_equal(n, 0);
    H5Aclose(id);
    H5Fclose(file);
    unlink(FILE_NAME);
}

static void numbers_have_their_bits_inside(void **state)
{
    (void)state;
    const hid_t good[] = {H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_STD_U8LE, H5T_STD_I64BE, H5T_NATIVE_LDOUBLE};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(hdf5_type_is_number(good[i]));
    assert_false(hdf5_type_is_number(H5T_C_S1));
    assert_false(hdf5_type_is_number(-1));
    hid_t wide = H5Tcopy(H5T_STD_I32LE);
    H5Tset_size(wide, 64);
    assert_false(hdf5_type_is_number(wide));
    H5Tclose(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_text),
        RUN(texts_of_fixed_and_variable_length),
        RUN(lists_of_texts),
        RUN(numbers_have_their_bits_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
