// A shared object that loads, without `run`.
extern "C" __attribute__((visibility("default"))) int another_function() {
  return 0;
}
