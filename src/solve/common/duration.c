#include "solve/common/duration.h"

#include <stdio.h>

struct duration duration_of(double seconds)
{
    const double minute = 60.0, hour = 3600.0, day = 86400.0, year = 365.25 * day;
    struct duration made;
    if (seconds < 99.5)
        snprintf(made.text, sizeof made.text, "%.2g s", seconds);
    else if (seconds < 99.5 * minute)
        snprintf(made.text, sizeof made.text, "%.2g min", seconds / minute);
    else if (seconds < 2.0 * day)
        snprintf(made.text, sizeof made.text, "%.2g hours", seconds / hour);
    else if (seconds < 2.0 * year)
        snprintf(made.text, sizeof made.text, "%.3g days", seconds / day);
    else
        snprintf(made.text, sizeof made.text, "%.2g years", seconds / year);
    return made;
}
