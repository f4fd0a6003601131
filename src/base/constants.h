/* Physical constants, CGS. CODATA 2018 (exact where the SI makes them so). */
#ifndef LR_BASE_CONSTANTS_H
#define LR_BASE_CONSTANTS_H

#define LR_LIGHT_SPEED 2.99792458e10          /* cm s^-1, exact */
#define LR_PLANCK 6.62607015e-27              /* erg s, exact */
#define LR_BOLTZMANN 1.380649e-16             /* erg K^-1, exact */
#define LR_ATOMIC_MASS_UNIT 1.66053906660e-24 /* g */
#define LR_ASTRONOMICAL_UNIT 1.495978707e13   /* cm, exact; IAU 2012 resolution B2 */
#define LR_PARSEC 3.0856775814913673e18       /* cm, 648000 / pi au; IAU 2015 resolution B2 */
#define LR_SOLAR_RADIUS 6.957e10              /* cm, exact; IAU 2015 resolution B3 */
#define LR_DEBYE 1e-18                        /* statC cm, exact */
#define LR_SOLAR_MASS 1.988409871e33          /* g; (GM)_sun of IAU 2015 resolution B3 over G of CODATA 2018 */
#define LR_PI 3.14159265358979323846
#define LR_SQRT_PI 1.77245385090551602730

#endif
