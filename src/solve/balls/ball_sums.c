/* Means with control variates. */
#include "solve/balls/ball_sums.h"

void ball_sums_add(struct ball_sums *sums, const struct ball_sums *more)
{
    sums->n += more->n;
    for (int j = 0; j < BALL_N_CONTROL; j++) {
        sums->z[j] += more->z[j];
        for (int k = 0; k < BALL_N_CONTROL; k++)
            sums->zz[j][k] += more->zz[j][k];
    }
    for (int i = 0; i < BALL_N_WANTED; i++) {
        sums->y[i] += more->y[i];
        for (int j = 0; j < BALL_N_CONTROL; j++)
            sums->yz[i][j] += more->yz[i][j];
    }
}

/* Gaussian elimination without pivoting: a covariance matrix is not negative. A control that is a combination of
 * others, or always zero, is left out. */
void ball_sums_means(const struct ball_sums *sums, double *mean)
{
    double row[BALL_N_CONTROL][BALL_N_CONTROL + BALL_N_WANTED];
    double least[BALL_N_CONTROL];
    for (int j = 0; j < BALL_N_CONTROL; j++) {
        for (int k = 0; k < BALL_N_CONTROL; k++)
            row[j][k] = sums->zz[j][k] - sums->z[j] * sums->z[k] / sums->n;
        for (int i = 0; i < BALL_N_WANTED; i++)
            row[j][BALL_N_CONTROL + i] = sums->yz[i][j] - sums->y[i] * sums->z[j] / sums->n;
        least[j] = 1e-9 * row[j][j];
    }
    for (int i = 0; i < BALL_N_WANTED; i++)
        mean[i] = sums->y[i] / sums->n;
    for (int j = 0; j < BALL_N_CONTROL; j++) {
        if (!(row[j][j] > least[j])) {
            for (int c = 0; c < BALL_N_CONTROL + BALL_N_WANTED; c++)
                row[j][c] = 0;
            continue;
        }
        for (int k = 0; k < BALL_N_CONTROL; k++) {
            const double part = row[k][j] / row[j][j];
            for (int c = 0; c < BALL_N_CONTROL + BALL_N_WANTED && k != j; c++)
                row[k][c] -= part * row[j][c];
        }
    }
    for (int j = 0; j < BALL_N_CONTROL; j++)
        for (int i = 0; i < BALL_N_WANTED && row[j][j] > 0; i++)
            mean[i] -= row[j][BALL_N_CONTROL + i] / row[j][j] * sums->z[j] / sums->n;
}
