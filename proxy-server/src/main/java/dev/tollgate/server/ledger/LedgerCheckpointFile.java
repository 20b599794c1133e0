package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStoreIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * File beside the journal's segments with the last checkpoint that the ledger store acknowledged: a
 * store that has less was rolled back. The file's name and format contain {@code books}, the
 * store's former name, and must not change.
 *
 * @param keptFrom all charges before this segment are settled, as the store acknowledged
 */
record LedgerCheckpointFile(long keptFrom, LedgerStoreIdentity storeIdentity) {
  private static final String NAME = "books";
  private static final int BYTES_MAX = 512;
  private static final Pattern FORM =
      Pattern.compile("kept_from (\\d{1,18})\nbooks (\\S*) (\\S*) (\\S*)\n");

  /** Reads the file; empty if no epoch of this node has begun. */
  static Optional<LedgerCheckpointFile> read(Disk disk) throws IOException {
    if (!disk.exists(NAME)) {
      return Optional.empty();
    }
    ByteBuffer text = ByteBuffer.allocate(BYTES_MAX);
    try (Disk.File file = disk.open(NAME)) {
      file.read(text, 0);
    }
    Matcher matcher = FORM.matcher(StandardCharsets.US_ASCII.decode(text.flip()));
    if (!matcher.matches()) {
      throw new DamagedJournalException(disk.path(NAME), 0, "it is not a ledger checkpoint");
    }
    var storeIdentity =
        new LedgerStoreIdentity(matcher.group(2), matcher.group(3), matcher.group(4));
    return Optional.of(new LedgerCheckpointFile(Long.parseLong(matcher.group(1)), storeIdentity));
  }

  /** Replaces the file; durable when this returns. */
  void write(Disk disk) throws IOException {
    String text =
        "kept_from %d%nbooks %s %s %s%n"
            .formatted(
                keptFrom,
                storeIdentity.incarnation(),
                storeIdentity.system(),
                storeIdentity.timeline())
            .replace("\r\n", "\n");
    String temporary = NAME + ".new";
    try (Disk.File file = disk.create(temporary)) {
      file.write(StandardCharsets.US_ASCII.encode(text), 0);
      file.force();
    }
    disk.rename(temporary, NAME);
    disk.forceDirectory();
  }
}
