/* Means of what leaves a ball, with control variates.
 *
 * Of y the mean is wanted, of z it is known to be zero. The mean of y - b z is then that of y for any b, and has the
 * smallest error if b is the regression of y on z. */
#ifndef LR_SOLVE_TRANSPORT_BALL_SUMS_H
#define LR_SOLVE_TRANSPORT_BALL_SUMS_H

enum { BALL_N_WANTED = 7, BALL_N_CONTROL = 3 };

struct ball_sums {
    double n;
    double y[BALL_N_WANTED], z[BALL_N_CONTROL];
    double zz[BALL_N_CONTROL][BALL_N_CONTROL], yz[BALL_N_WANTED][BALL_N_CONTROL];
};

void ball_sums_note(struct ball_sums *sums, const double *y, const double *z);
void ball_sums_add(struct ball_sums *sums, const struct ball_sums *more);
void ball_sums_means(const struct ball_sums *sums, double *mean);

#endif
