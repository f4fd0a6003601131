/* Numbers far outside anything that exists are refused: they are typing errors or wrong units, and their products
 * overflow. CGS. Those of fields are in io/snapshot/field_rule.h. */
#ifndef LR_IO_MODEL_MODEL_LIMITS_H
#define LR_IO_MODEL_MODEL_LIMITS_H

#define LEAST_CELL 1e-12       /* cm */
#define MOST_LENGTH 1e35       /* cm, 1e6 times the size of the observable Universe */
#define LEAST_LUMINOSITY 1e-60 /* photons/s, unless it is zero */
#define MOST_LUMINOSITY 1e80   /* photons/s */
#define LEAST_DOPPLER 1e-3     /* cm/s, of hydrogen at 1e-14 K */

#endif
