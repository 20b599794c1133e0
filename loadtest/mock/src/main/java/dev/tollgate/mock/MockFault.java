package dev.tollgate.mock;

/**
 * Fault of the mock provider, selected by the model name {@code fault/<name>[:k]}. It modifies the
 * draft of a healthy reply. docs/mock-provider.md lists all faults; a test compares the list.
 */
public sealed interface MockFault
    permits StatusFault, HeadFault, BodyFault, EventFault, UsageFault, FramingFault {
  Spec spec();

  /**
   * Definition of a fault: its name, description and effect.
   *
   * @param wireName name after {@code fault/}
   * @param kDefault the number if the model name has none; {@link #NO_K} if the fault takes none
   * @param description one line for the documentation, about what happens on the wire
   * @param effect turns a healthy reply into the faulty one
   */
  record Spec(String wireName, int kDefault, String description, FaultEffect effect) {
    static final int NO_K = -1;

    public boolean takesK() {
      return kDefault != NO_K;
    }
  }

  /** Function that changes the draft of a healthy reply into the faulty one. */
  @FunctionalInterface
  interface FaultEffect {
    void apply(ReplyDraft draft, int k);
  }

  static Spec fault(String wireName, String description, FaultEffect effect) {
    return new Spec(wireName, Spec.NO_K, description, effect);
  }

  static Spec fault(String wireName, int kDefault, String description, FaultEffect effect) {
    return new Spec(wireName, kDefault, description, effect);
  }
}
