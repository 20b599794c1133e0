package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Port to the ledger, which reserves a request's worst-case cost before the request is sent. Never
 * blocks.
 */
public interface Ledger {

  /**
   * Reserves {@code worstCase} in every limited scope of the key, or in none.
   *
   * @param loop the event loop of the answer and of the reservation
   * @param answer called once: usually before this method returns, else later as a task of the loop
   */
  void reserve(
      RequestId request,
      ApiKey key,
      MicroUsd worstCase,
      Executor loop,
      Consumer<ReserveResult> answer);

  /** Result of a call of {@link #reserve}. */
  sealed interface ReserveResult {
    /**
     * The amount is reserved. The reservation must be ended exactly once, also if its request has
     * ended meanwhile.
     */
    record Reserved(Reservation reservation) implements ReserveResult {}

    /**
     * Nothing was reserved: 402 if a scope is short, 503 if that could not be determined.
     *
     * @param cause the party that causes the refusal
     * @param available the most that could have been reserved; 0 if nothing, or if that is unknown
     */
    record Refused(Fault fault, RefusalCause cause, MicroUsd available) implements ReserveResult {
      public Refused(Fault fault, RefusalCause cause) {
        this(fault, cause, MicroUsd.ZERO);
      }
    }

    /** Cause of a refusal. */
    enum RefusalCause {
      /** A scope of the client is short. */
      INSUFFICIENT_FUNDS,
      /** The ledger store cannot be reached. */
      STORE_UNAVAILABLE,
      /** This node's journal or its queue for grants is full. */
      NODE_OVERLOADED
    }
  }
}
