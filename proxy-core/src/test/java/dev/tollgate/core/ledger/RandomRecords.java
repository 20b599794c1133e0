package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;

/** Random journal records, made from a seed. */
final class RandomRecords {
  private final Random random;

  RandomRecords(Random random) {
    this.random = random;
  }

  JournalRecord any() {
    return of(RequestId.at(random.nextLong(1L << 48)));
  }

  JournalRecord of(RequestId request) {
    return switch (random.nextInt(4)) {
      case 0 -> new Reserve(request, org(), key(), random.nextInt(16), amount());
      case 1 -> new Progress(request, amount(), tokens());
      case 2 -> new Release(request);
      default -> new Settle(settlement(request));
    };
  }

  Settlement settlement(RequestId request) {
    byte[] row = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(2_000)];
    random.nextBytes(row);
    SettlementKind[] hows = SettlementKind.values();
    return new Settlement(
        request,
        org(),
        key(),
        random.nextInt(16),
        amount(),
        amount(),
        tokens(),
        hows[random.nextInt(hows.length)],
        row);
  }

  /** True if two records are equal, with arrays compared by content. */
  static boolean same(JournalRecord one, JournalRecord other) {
    if (one instanceof Settle(var left) && other instanceof Settle(var right)) {
      return withoutRow(left).equals(withoutRow(right)) && Arrays.equals(left.row(), right.row());
    }
    return one.equals(other);
  }

  private static final byte[] NO_ROW = {};

  private static Settlement withoutRow(Settlement settlement) {
    return new Settlement(
        settlement.request(),
        settlement.org(),
        settlement.key(),
        settlement.scopeKinds(),
        settlement.reserved(),
        settlement.cost(),
        settlement.tokens(),
        settlement.how(),
        NO_ROW);
  }

  private OrgId org() {
    return new OrgId(new UUID(random.nextLong(), random.nextLong()));
  }

  private KeyId key() {
    return new KeyId("k" + random.nextInt(10_000_000));
  }

  private MicroUsd amount() {
    return new MicroUsd(random.nextLong() >>> random.nextInt(1, 64));
  }

  private Tokens tokens() {
    return new Tokens(
        number(),
        number(),
        number(),
        random.nextLong() >>> random.nextInt(64),
        random.nextBoolean());
  }

  private long number() {
    return random.nextInt(1 << random.nextInt(31));
  }
}
