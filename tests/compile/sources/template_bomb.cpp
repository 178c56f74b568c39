// Instantiates templates for hours.
template <int N, int M>
struct Bomb {
  static constexpr long long kValue = Bomb<N - 1, M * 2>::kValue + Bomb<N - 1, M * 2 + 1>::kValue;
};
template <int M>
struct Bomb<0, M> {
  static constexpr long long kValue = M;
};
extern "C" long long run() {
  return Bomb<30, 1>::kValue;
}
