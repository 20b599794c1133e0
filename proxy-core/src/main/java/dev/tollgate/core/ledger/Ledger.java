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
      RequestId request,
      ApiKey key,
      MicroUsd worstCase,
      Executor loop,
      Consumer<ReserveResult> answer);

  /** What became of a wish to reserve. */
  sealed interface ReserveResult {
    /** To be ended exactly once, also where nobody waits for it any more. */
    record Reserved(Reservation reservation) implements ReserveResult {}

    /**
     * Nothing was set aside: 402 where the money does not reach, 503 where nobody can say.
     *
     * @param cause whose state it is that refuses
     */
    record Refused(Fault fault, RefusalCause cause) implements ReserveResult {}

    /** Why nothing was set aside. */
    enum RefusalCause {
      /** The client's money does not reach. */
      INSUFFICIENT_FUNDS,
      /** The books cannot be asked. */
      STORE_UNAVAILABLE,
      /** This node has more to ask or to write down than it may keep. */
      NODE_OVERLOADED
    }
  }
}
