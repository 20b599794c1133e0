package dev.tollgate.core.ledger;

import java.util.Random;

/** What may happen to a call to the books in a simulation. */
enum CallOutcome {
  FINE,
  LATE,
  LOST,
  ANSWER_LOST,
  /** Given up by the node, and booked at any time after that. */
  GIVEN_UP;

  static CallOutcome any(Random random) {
    int dice = random.nextInt(20);
    return switch (dice) {
      case 0 -> LOST;
      case 1 -> ANSWER_LOST;
      case 2 -> GIVEN_UP;
      case 3, 4, 5 -> LATE;
      default -> FINE;
    };
  }
}
