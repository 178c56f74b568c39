// Which of several measurements of one trial counts. A machine may be disturbed and a clock may
// wander, so a measurement that cannot be believed is made again. Pure decisions, no time.
#pragma once

namespace ptxbatch {

class MeasurementAttempts {
 public:
  static constexpr int kMost = 3;
  /// Claims that do not fit convict at the second time.
  static constexpr int kMisfitsThatConvict = 2;

  enum class Finding {
    kSound,
    kDrifted,  // the reference wandered; the claims fit
    kMisfit,   // the candidate's claims do not fit what was seen from outside
  };
  enum class Next { kMeasureAgain, kKeepThis, kKeepSteadiest, kConvict };

  /// What follows from one more measurement. On a GPU that throttles all the time no measurement is
  /// sound: the steadiest of those that drifted is what there is, and the readings beside it say
  /// so.
  Next after(Finding finding) {
    ++made_;
    if (finding == Finding::kSound) return Next::kKeepThis;
    if (finding == Finding::kMisfit && ++misfits_ == kMisfitsThatConvict) return Next::kConvict;
    return made_ < kMost ? Next::kMeasureAgain : Next::kKeepSteadiest;
  }

 private:
  int made_ = 0;
  int misfits_ = 0;
};

static_assert(MeasurementAttempts::kMost > MeasurementAttempts::kMisfitsThatConvict,
              "of all attempts without a conviction at least one has drifted");

}  // namespace ptxbatch
