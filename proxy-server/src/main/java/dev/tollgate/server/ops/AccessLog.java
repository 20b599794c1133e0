package dev.tollgate.server.ops;

import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.tenant.ApiKey;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Request observer that writes one JSON line per ended request to the logger {@code access}. Of
 * successful requests it logs the configured share. All others are written, except for shed
 * requests: of those only some each second, because the log would add to the load. Of 429s that are
 * decided from the headers alone, which come at any rate, it writes one for each key, or address
 * without a key, and minute.
 */
public final class AccessLog implements RequestObserver {
  static final String LOGGER = "access";

  private final Logger LOG = LoggerFactory.getLogger(LOGGER);
  private static final int SHED_LINES_PER_SECOND_MAX = 10;

  /** Keys and addresses with a line of their own in one minute. */
  private static final int LIMITED_MAX = 1_000;

  private final double sample;
  private final AtomicLong shedSecond = new AtomicLong();
  private final AtomicInteger shedLines = new AtomicInteger();
  private final AtomicLong limitedMinute = new AtomicLong();
  private final Set<String> limited = ConcurrentHashMap.newKeySet();

  /**
   * @param sample the share of successful requests to log: 0 to 1
   */
  public AccessLog(double sample) {
    this.sample = sample;
  }

  /** Returns the same line for the request log in the store: a JSON object in UTF-8. */
  public static byte[] line(RequestRecord record) {
    return new AccessLine(record).utf8();
  }

  @Override
  public void ended(RequestRecord record) {
    if (isKept(record)) {
      LOG.info("{}", new AccessLine(record));
    }
  }

  // By the request's id, so that every log that samples keeps the same requests.
  private boolean isKept(RequestRecord record) {
    if (record.outcome() == RequestOutcome.SHED
        && record.status() != 200) { // else a running stream was reset
      return isWithinShedRate(record.id().epochMillis() / 1000);
    }
    if (record.status() == 429 && record.served() == null) {
      return isFirstOfMinute(record);
    }
    boolean good =
        record.outcome() == RequestOutcome.OK || record.outcome() == RequestOutcome.OK_ESTIMATED;
    return !good
        || sample >= 1
        || (mixed(record.id().value().hashCode()) >>> 1) < sample * Integer.MAX_VALUE;
  }

  private boolean isFirstOfMinute(RequestRecord record) {
    long minute = record.id().epochMillis() / 60_000;
    if (limitedMinute.get() != minute && limitedMinute.getAndSet(minute) != minute) {
      limited.clear();
    }
    ApiKey key = record.key();
    return limited.size() < LIMITED_MAX
        && limited.add(key == null ? record.http().clientAddress() : key.id().toString());
  }

  // Event loops that pass a second at once may write a few lines more or less.
  private boolean isWithinShedRate(long second) {
    if (shedSecond.get() != second && shedSecond.getAndSet(second) != second) {
      shedLines.set(0);
    }
    return shedLines.get() < SHED_LINES_PER_SECOND_MAX
        && shedLines.incrementAndGet() <= SHED_LINES_PER_SECOND_MAX;
  }

  private static int mixed(int hash) {
    int h = hash * 0x9E3779B9;
    return h ^ h >>> 16;
  }
}
