package dev.tollgate.server.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/** Journal records of one organization's requests. */
final class TestRecords {
  private static final OrgId ORG = new OrgId(new UUID(1, 2));
  private static final KeyId KEY = new KeyId("abcd1234");
  private static final MicroUsd RESERVED = new MicroUsd(1_000);

  private TestRecords() {}

  /** Returns the checkpoint of a store that has everything before a segment. */
  static NodeCheckpoint checkpoint(long keptFrom) {
    return new NodeCheckpoint(LedgerStoreIdentity.UNKNOWN, 0, Optional.empty(), 0, keptFrom);
  }

  static RequestId request() {
    return RequestId.at(1_700_000_000_000L);
  }

  static Reserve reserve(RequestId request) {
    return new Reserve(request, ORG, KEY, 5, RESERVED);
  }

  static Progress progress(RequestId request, long cost) {
    return new Progress(request, new MicroUsd(cost), new Tokens(cost, 1, 2, 3, true));
  }

  static Settlement charge(RequestId request, long cost, byte[] row) {
    Tokens tokens = new Tokens(cost, 4, 0, 0, false);
    return new Settlement(
        request, ORG, KEY, 5, RESERVED, new MicroUsd(cost), tokens, SettlementKind.COMPLETED, row);
  }

  static Settlement charge(long cost) {
    return charge(request(), cost, new byte[0]);
  }

  static Settlement charge(RequestId request, Random random, int rowBytesMax) {
    byte[] row = new byte[random.nextInt(rowBytesMax)];
    random.nextBytes(row);
    return charge(request, random.nextLong(1L << 40), row);
  }

  static boolean same(Settlement one, Settlement other) {
    return one.request().equals(other.request())
        && one.org().equals(other.org())
        && one.key().equals(other.key())
        && one.scopeKinds() == other.scopeKinds()
        && one.reserved().equals(other.reserved())
        && one.cost().equals(other.cost())
        && one.tokens().equals(other.tokens())
        && one.how() == other.how()
        && Arrays.equals(one.row(), other.row());
  }
}
