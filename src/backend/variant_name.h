/* Names of what a driver exports. Its file is compiled several times, and the build names each variant: mesh, precision
 * and, on a CPU, instruction set. */
#ifndef LR_BACKEND_VARIANT_NAME_H
#define LR_BACKEND_VARIANT_NAME_H

#define VARIANT_JOIN(prefix, variant) prefix##variant
#define VARIANT_NAME(prefix, variant) VARIANT_JOIN(prefix, variant)

#endif
