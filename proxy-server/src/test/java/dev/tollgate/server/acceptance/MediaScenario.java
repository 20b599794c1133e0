package dev.tollgate.server.acceptance;

/** Behaviour of the provider and of the owner, and the expected end of the job. */
enum MediaScenario {
  QUICK("m?takes=300ms", Owner.WAITS, "succeeded"),
  LONGER("m?takes=2s", Owner.WAITS, "succeeded"),
  ANSWER_LOST("fault/job-lost-answer?takes=200ms", Owner.WAITS, "succeeded"),
  BUSY("fault/job-busy:1?takes=100ms", Owner.WAITS, "succeeded"),
  POLLS_FAIL("fault/job-polls-fail:2?takes=100ms", Owner.WAITS, "succeeded"),
  FILE_LATE("fault/file-late:1?takes=100ms", Owner.WAITS, "succeeded"),
  FILE_SLOW("fault/file-slow:2?takes=100ms", Owner.WAITS, "succeeded"),
  FAILS("fault/job-fails-running?takes=400ms", Owner.WAITS, "failed"),
  REFUSED("fault/job-refused", Owner.WAITS, "failed"),
  CANCELED("m?takes=600s", Owner.CANCELS, "canceled"),
  CANCELED_LATE("m?takes=600s", Owner.CANCELS_LATE, "canceled"),
  NOT_CANCELED("fault/job-no-cancel?takes=2s", Owner.CANCELS_LATE, "succeeded"),
  REMOVED("m?takes=200ms", Owner.REMOVES, "succeeded"),
  EXPIRES("fault/job-endless", Owner.WAITS_IN_VAIN, "expired");

  private final String model;
  private final Owner owner;
  private final String end;

  MediaScenario(String asked, Owner owner, String end) {
    this.model = asked;
    this.owner = owner;
    this.end = end;
  }

  /** Action of the owner after its submission. */
  enum Owner {
    WAITS,
    /** It submits at the node whose jobs have little time. */
    WAITS_IN_VAIN,
    /** At once. */
    CANCELS,
    /** Once a provider has it. */
    CANCELS_LATE,
    /** Once it has ended. */
    REMOVES
  }

  static MediaScenario of(int job) {
    return values()[job % values().length];
  }

  /** Returns the mock's model. */
  String model() {
    return model;
  }

  Owner owner() {
    return owner;
  }

  /** Returns the final status. */
  String end() {
    return end;
  }
}
