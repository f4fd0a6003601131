#ifndef LINERAD_CLI_MOLECULE_JSON_H
#define LINERAD_CLI_MOLECULE_JSON_H

#include <stdio.h>

#include "linerad.h"

void molecule_put_json(FILE *file, const lr_molecule *molecule, double temperature);

#endif
