package dev.tollgate.server.mail;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivery of mails into files of a directory, for gateways without a mail server. Only the
 * process's own user can read them, and only the newest ones are kept.
 */
final class FileDelivery implements MailDelivery {
  static final int FILES_KEPT = 200;
  private static final Logger LOG = LoggerFactory.getLogger(FileDelivery.class);
  private static final String SUFFIX = ".eml";
  private static final int SAME_TIME_MAX = 1_000;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
  private static final Set<PosixFilePermission> OWN_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OWN_FILE =
      PosixFilePermissions.fromString("rw-------");

  private final Path directory;
  private final String from;

  FileDelivery(Path directory, String from) {
    this.directory = directory;
    this.from = from;
  }

  @Override
  public void deliver(MailMessage message, Instant writtenAt) throws IOException {
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWN_DIRECTORY));
    Path file = write(message, writtenAt);
    LOG.info("a mail was written to {}", file);
    deleteOld();
  }

  private Path write(MailMessage message, Instant writtenAt) throws IOException {
    String name = TIME.format(writtenAt) + "-" + message.kind().wire();
    for (int i = 1; i < SAME_TIME_MAX; i++) {
      Path file = directory.resolve(i == 1 ? name + SUFFIX : name + "-" + i + SUFFIX);
      try (OutputStream out = create(file)) {
        MimeMail.of(Session.getInstance(new Properties()), from, message, writtenAt).writeTo(out);
        return file;
      } catch (FileAlreadyExistsException taken) {
        // the next name
      } catch (MessagingException e) {
        throw new IOException("the mail cannot be written: " + e.getMessage(), e);
      }
    }
    throw new IOException("too many mails of the same time in " + directory);
  }

  private static OutputStream create(Path file) throws IOException {
    return Channels.newOutputStream(
        Files.newByteChannel(
            file,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(OWN_FILE)));
  }

  /** The names begin with the time, so they sort by it. */
  private void deleteOld() throws IOException {
    List<Path> mails;
    try (Stream<Path> files = Files.list(directory)) {
      mails = files.filter(each -> each.toString().endsWith(SUFFIX)).sorted().toList();
    }
    for (Path old : mails.subList(0, Math.max(0, mails.size() - FILES_KEPT))) {
      Files.deleteIfExists(old);
    }
  }
}
