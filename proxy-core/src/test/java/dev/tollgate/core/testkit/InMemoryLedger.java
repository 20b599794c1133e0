package dev.tollgate.core.testkit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.ledger.Reservation;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ledger in memory with unlimited money, which checks its callers: each reservation is ended
 * exactly once and not used afterwards. A test can delay answers and syncs.
 */
public final class InMemoryLedger implements Ledger {
  private final List<Charged> charged = new ArrayList<>();
  private final List<MicroUsd> progress = new ArrayList<>();
  private final List<Runnable> heldAnswers = new ArrayList<>();
  private final List<Runnable> heldDisk = new ArrayList<>();
  private @Nullable Fault refusal;
  private ReserveResult.RefusalCause refusalCause = ReserveResult.RefusalCause.INSUFFICIENT_FUNDS;
  private MicroUsd available = MicroUsd.ZERO;
  private boolean answersWait;
  private boolean diskWaits;
  private int reserved;
  private int begunCount;
  private int released;

  /** A settled charge. */
  public record Charged(
      RequestId request, MicroUsd reserved, MicroUsd cost, Tokens tokens, SettlementKind how) {}

  @Override
  public void reserve(
      RequestId request, ApiKey key, MicroUsd most, Executor loop, Consumer<ReserveResult> answer) {
    Fault fault = most.compareTo(available) > 0 ? refusal : null;
    Runnable given =
        fault == null
            ? () ->
                answer.accept(new ReserveResult.Reserved(new InMemoryReservation(request, most)))
            : () -> answer.accept(new ReserveResult.Refused(fault, refusalCause, available));
    if (answersWait) {
      heldAnswers.add(given);
    } else {
      given.run();
    }
  }

  private final class InMemoryReservation implements Reservation {
    private final RequestId request;
    private final MicroUsd most;
    private boolean begun;
    private boolean ended;

    InMemoryReservation(RequestId request, MicroUsd most) {
      this.request = request;
      this.most = most;
      reserved++;
    }

    @Override
    public void begin() {
      require(!begun && !ended, "a second beginning of " + request);
      begun = true;
      begunCount++;
    }

    @Override
    public void progress(MicroUsd cost, Tokens tokens) {
      require(begun, "progress before the beginning of " + request);
      require(!ended, "progress after the end of " + request);
      progress.add(cost);
    }

    @Override
    public void settle(
        MicroUsd cost, Tokens tokens, SettlementKind how, byte[] row, Runnable durable) {
      require(begun, "a charge before the beginning of " + request);
      end();
      require(cost.isPositive(), "a charge of nothing for " + request);
      charged.add(new Charged(request, most, cost, tokens, how));
      if (diskWaits) {
        heldDisk.add(durable);
      } else {
        durable.run();
      }
    }

    @Override
    public void release() {
      end();
      released++;
    }

    private void end() {
      require(!ended, "a second end of " + request);
      ended = true;
    }
  }

  /** Refuses all reservations from now on. */
  public void refuse(Fault fault, ReserveResult.RefusalCause cause) {
    refusal = fault;
    refusalCause = cause;
  }

  /** Refuses reservations of more than this from now on, for lack of money. */
  public void refuseAbove(MicroUsd most, Fault fault) {
    refuse(fault, ReserveResult.RefusalCause.INSUFFICIENT_FUNDS);
    available = most;
  }

  /** Delays answers until {@link #answer}, from now on. */
  public void holdAnswers() {
    answersWait = true;
  }

  public void answer() {
    answersWait = false;
    drain(heldAnswers);
  }

  /** Makes charges durable only at {@link #sync}, from now on. */
  public void holdDisk() {
    diskWaits = true;
  }

  public void sync() {
    diskWaits = false;
    drain(heldDisk);
  }

  private static void drain(List<Runnable> held) {
    List<Runnable> all = List.copyOf(held);
    held.clear();
    all.forEach(Runnable::run);
  }

  public List<Charged> charged() {
    return List.copyOf(charged);
  }

  /** Returns the costs that were reported as progress. */
  public List<MicroUsd> progress() {
    return List.copyOf(progress);
  }

  public int released() {
    return released;
  }

  /** Returns the number of reservations that began. */
  public int begun() {
    return begunCount;
  }

  /** Returns the number of reservations that were not ended. */
  public int open() {
    return reserved - released - charged.size();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
