// page.css and page.js as the build put them into the program.
#pragma once

#include <string_view>

namespace ptxbatch {

std::string_view report_style();
std::string_view report_script();

}  // namespace ptxbatch
