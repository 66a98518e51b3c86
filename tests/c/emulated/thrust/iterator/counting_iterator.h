#ifndef PCFDIST_TESTS_EMULATED_COUNTING
#define PCFDIST_TESTS_EMULATED_COUNTING

namespace thrust {

template <typename T> struct counting_iterator {
  T first;
  explicit counting_iterator(T first) : first(first) {}
  T operator[](int64_t k) const { return first + T(k); }
};

} // namespace thrust

#endif
