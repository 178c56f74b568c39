// For builds with AddressSanitizer: in a process that runs a candidate, or ends as one did, a
// signal is the candidate's and has to end the process as it would without the sanitizer.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options();   // NOLINT: the sanitizer's name for it
extern "C" const char* __asan_default_options() {  // NOLINT
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:"
         "detect_leaks=0:allocator_may_return_null=1";
}
#endif
