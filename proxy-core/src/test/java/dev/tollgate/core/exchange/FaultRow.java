package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.Corpora;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line of the fault catalogue: what goes wrong, and what everybody is to see of it. */
record FaultRow(
    String id, String fault, String clientSees, String charge, String failover, String outcome) {
  private static final Pattern REFUSAL = Pattern.compile("(?:then )?(\\d{3}) (\\w+)");
  private static final Pattern IN_STREAM = Pattern.compile("code=(\\w+)");

  static List<FaultRow> all() {
    return Corpora.rows("data/streamfaults.tsv").stream()
        .map(cells -> new FaultRow(cells[0], cells[1], cells[3], cells[4], cells[5], cells[6]))
        .toList();
  }

  static FaultRow of(String id) {
    return all().stream()
        .filter(row -> row.id.equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row " + id));
  }

  /** The status of the refusal that the row names. */
  int status() {
    return Integer.parseInt(refusal().group(1));
  }

  /** The code of the refusal that the row names. */
  String code() {
    return refusal().group(2);
  }

  private Matcher refusal() {
    Matcher matcher = REFUSAL.matcher(clientSees);
    if (!matcher.find()) {
      throw new AssertionError("no status and code in " + clientSees);
    }
    return matcher;
  }

  /** The code of the error event that the row names. */
  String codeInStream() {
    Matcher matcher = IN_STREAM.matcher(clientSees);
    if (!matcher.find()) {
      throw new AssertionError("no code in " + clientSees);
    }
    return matcher.group(1);
  }

  boolean failsOver() {
    return failover.startsWith("yes");
  }

  /** The catalogue's name of the ending, without remarks. */
  RequestOutcome ending() {
    String word = outcome.split("[ (/+]", 2)[0];
    for (RequestOutcome ending : RequestOutcome.values()) {
      if (ending.wire().equals(word)) {
        return ending;
      }
    }
    throw new AssertionError("no ending " + word);
  }

  @Override
  public String toString() {
    return id + " " + fault;
  }
}
