# Makes a C++ function that gives back a text file's contents.
#   cmake -DINPUT=page.css -DOUTPUT=page_css.cpp -DFUNCTION=report_style -DHEADER=... -P embed_text.cmake
file(READ ${INPUT} text)
file(WRITE ${OUTPUT}
"#include \"${HEADER}\"

namespace ptxbatch {

std::string_view ${FUNCTION}() {
  return R\"~text~(${text})~text~\";
}

}  // namespace ptxbatch
")
