package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The money port: a request's worst case is set aside before it is sent. Never blocks. */
public interface Ledger {

  /**
   * Sets {@code most} aside in every limited scope of the key, or in none.
   *
   * @param loop where the answer is given and the reservation lives
   * @param answer called once: usually before this returns, else later as a task of the loop
   */
  void reserve(
      RequestId request, ApiKey key, MicroUsd most, Executor loop, Consumer<Answer> answer);

  /** What became of a wish to reserve. */
  sealed interface Answer {
    /** To be ended exactly once, also where nobody waits for it any more. */
    record Reserved(Reservation reservation) implements Answer {}

    /**
     * Nothing was set aside: 402 where the money does not reach, 503 where nobody can say.
     *
     * @param isOurs whether it is this service's state that refuses, and not the client's
     */
    record Refused(Fault fault, boolean isOurs) implements Answer {}
  }
}
