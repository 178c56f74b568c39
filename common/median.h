// The median, the same for the judge and for those who read what it recorded.
#pragma once

#include <vector>

namespace ptxbatch {

/// Of an even number: the mean of the two in the middle. 0 for none.
double median(std::vector<double> values);

}  // namespace ptxbatch
