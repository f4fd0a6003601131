/* A source given as a list of packets in an HDF5 file: position, direction, velocity, weight. */
#ifndef LR_IO_MODEL_MODEL_PACKETS_H
#define LR_IO_MODEL_MODEL_PACKETS_H

#include "io/model/model_reader.h"

enum lr_status read_packets(const struct reader *r, const struct yaml_node *map, struct source *source);

#endif
