package dev.tollgate.core.ledger;

import java.util.Random;

/** Outcome of a call to the ledger store in a simulation. */
enum CallOutcome {
  FINE,
  LATE,
  LOST,
  ANSWER_LOST,
  /** Timed out on the node, and committed at any time after that. */
  TIMED_OUT;

  static CallOutcome any(Random random) {
    int dice = random.nextInt(20);
    return switch (dice) {
      case 0 -> LOST;
      case 1 -> ANSWER_LOST;
      case 2 -> TIMED_OUT;
      case 3, 4, 5 -> LATE;
      default -> FINE;
    };
  }
}
