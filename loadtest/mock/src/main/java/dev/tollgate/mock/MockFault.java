package dev.tollgate.mock;

/**
 * One way a provider can fail, selected by the model name {@code fault/<name>[:k]}. It shapes the
 * healthy reply drafted before it; docs/mock-provider.md lists all, and a test compares.
 */
public sealed interface MockFault
    permits StatusFault, HeadFault, BodyFault, EventFault, UsageFault, FramingFault {
  Spec spec();

  /**
   * What makes a fault.
   *
   * @param wireName what stands behind {@code fault/}
   * @param kDefault the number used if the name carries none; {@link #NO_K} if it takes none
   * @param description what happens on the wire, in one line for the documentation
   * @param effect turns a healthy reply into the faulty one
   */
  record Spec(String wireName, int kDefault, String description, FaultEffect effect) {
    static final int NO_K = -1;

    public boolean takesK() {
      return kDefault != NO_K;
    }
  }

  /** How a fault changes a draft. */
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
