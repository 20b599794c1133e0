package dev.tollgate.server.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Seal;
import dev.tollgate.server.settings.value.MasterKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mails from the transaction of their change into files and to a mail server. */
class MailIT {
  private static final String LINK = "https://gate.example/verify#c4n4ry-secret";
  private static final Seal SEAL =
      new Seal(
          List.of(MasterKey.parse(Base64.getEncoder().encodeToString(new byte[32])).orElseThrow()));

  @TempDir private Path directory;
  private Store store;
  private MailOutbox outbox;

  @BeforeEach
  void open() throws Exception {
    store = SharedPostgres.newStore();
    outbox = new MailOutbox(store.pool(), SEAL, false);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void add(MailMessage message) throws SQLException {
    Transactions.run(
        store.pool(),
        connection -> {
          outbox.add(connection, message);
          return message;
        });
  }

  private MailSender files() {
    return MailSender.of(outbox, null, "gate@a.example", directory.resolve("mail"));
  }

  private List<Path> written() throws IOException {
    try (Stream<Path> all = Files.list(directory.resolve("mail"))) {
      return all.sorted().toList();
    }
  }

  private String queried(String sql) throws SQLException {
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aMailBecomesAFileThatOnlyItsOwnerReads() throws Exception {
    add(MailTexts.verifyEmail("ann@b.example", LINK));
    assertThat(queried("SELECT position('c4n4ry'::bytea in message) FROM mail_outbox"))
        .isEqualTo("0");

    files().deliverDue();

    assertThat(written()).hasSize(1);
    Path file = written().getFirst();
    assertThat(String.valueOf(file.getFileName()))
        .matches("\\d{8}T\\d{6}\\.\\d{3}Z-verify-email\\.eml");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Files.readString(file))
        .contains("To: ann@b.example", "From: Tollgate <gate@a.example>", LINK)
        .contains("text/plain; charset=utf-8", "text/html; charset=utf-8")
        .doesNotContain("<img", InetAddress.getLocalHost().getHostName() + ">");
    assertThat(queried("SELECT count(*) FROM mail_outbox")).isEqualTo("0");
  }

  @Test
  void aMailOfAKindThatOnlyALaterVersionHasIsSentToo() throws Exception {
    add(MailTexts.verifyEmail("ann@b.example", LINK));
    execute("UPDATE mail_outbox SET kind = 'of-later'");

    files().deliverDue();

    assertThat(String.valueOf(written().getFirst().getFileName())).endsWith("-other.eml");
  }

  @Test
  void theSenderIsWokenByEachMailOfItsNode() throws Exception {
    BlockingQueue<MailMessage> delivered = new LinkedBlockingQueue<>();
    try (var sender =
        new MailSender(outbox, (mail, _) -> delivered.add(mail), Duration.ofDays(1))) {
      sender.start();
      for (int i = 0; i < 3; i++) {
        add(MailTexts.passwordChanged("ann" + i + "@b.example"));
        assertThat(delivered.poll(10, TimeUnit.SECONDS)).isNotNull();
        awaitSent(sender, i + 1); // so that it looks at an empty outbox again
      }
    }
  }

  private static void awaitSent(MailSender sender, long mails) {
    long begunNanos = System.nanoTime();
    while (sender.sent() < mails) {
      assertThat(System.nanoTime() - begunNanos).isLessThan(TimeUnit.SECONDS.toNanos(10));
      Thread.onSpinWait();
    }
  }

  @Test
  void theSenderIsWokenBehindTheCommit() throws Exception {
    List<String> calls = new ArrayList<>();
    outbox.onAdd(() -> calls.add("woken"));
    Transactions.run(
        store.pool(),
        connection -> {
          outbox.add(connection, MailTexts.passwordChanged("ann@b.example"));
          return calls.add("added");
        });
    assertThat(calls).containsExactly("added", "woken");
  }

  @Test
  void aMailOfAnUndoneChangeIsNeverSent() {
    outbox.onAdd(() -> fail("woken"));
    assertThatThrownBy(
            () ->
                Transactions.run(
                    store.pool(),
                    connection -> {
                      outbox.add(connection, MailTexts.passwordChanged("ann@b.example"));
                      throw new IllegalStateException("undone");
                    }))
        .hasMessage("undone");

    files().deliverDue();
    assertThat(directory.resolve("mail")).doesNotExist();
  }

  @Test
  void onlyTheNewestFilesAreKept() throws Exception {
    var delivery = new FileDelivery(directory.resolve("mail"), "gate@a.example");
    Instant first = Instant.parse("2026-01-01T00:00:00Z");
    for (int i = 0; i < FileDelivery.FILES_KEPT + 5; i++) {
      delivery.deliver(MailTexts.passwordChanged("ann@b.example"), first.plusSeconds(i / 2));
    }

    assertThat(written()).hasSize(FileDelivery.FILES_KEPT);
    assertThat(String.valueOf(written().getFirst().getFileName())).startsWith("20260101T000002");
  }

  @Test
  void namesOfPeopleAreTextInHtmlAndOneLineInTheSubject() throws Exception {
    add(MailTexts.invitation("ann@b.example", "<b>Org</b>\r\nBcc: x@y.example", "\"Bob\"", LINK));

    files().deliverDue();

    String mail = Files.readString(written().getFirst());
    assertThat(mail).contains("&lt;b&gt;Org&lt;/b&gt;");
    assertThat(mail.substring(0, mail.indexOf("Content-Type")))
        .contains("Subject: Invitation to <b>Org</b> Bcc: x@y.example")
        .doesNotContain("\nBcc:");
  }

  @Test
  void aMailIsTriedFiveTimesAndThenKeptForTheOperator() throws Exception {
    add(MailTexts.passwordChanged("ann@b.example"));
    MailSender sender =
        MailSender.of(outbox, new Secret("smtp://127.0.0.1:" + closedPort()), null, directory);
    for (int i = 0; i < MailOutbox.SCHEDULE.size(); i++) {
      sender.deliverDue();
      assertThat(queried("SELECT tries FROM mail_outbox")).isEqualTo(String.valueOf(i + 1));
      if (i + 1 < MailOutbox.SCHEDULE.size()) {
        assertThat(
                queried(
                    "SELECT round(extract(epoch FROM next_try_at - ledger_now())) FROM mail_outbox"))
            .isEqualTo(String.valueOf(MailOutbox.SCHEDULE.get(i + 1).toSeconds()));
        execute("UPDATE mail_outbox SET next_try_at = ledger_now()");
      }
    }

    assertThat(sender.retried()).isEqualTo(4);
    assertThat(sender.failed()).isEqualTo(1);
    assertThat(queried("SELECT next_try_at FROM mail_outbox")).isEqualTo("infinity");
  }

  @Test
  void aMailIsLeasedToOneNode() throws Exception {
    add(MailTexts.passwordChanged("ann@b.example"));

    assertThat(outbox.lease()).isPresent();
    assertThat(outbox.lease()).isEmpty();
    execute("UPDATE mail_outbox SET lease_until = ledger_now() - interval '1 second'");
    assertThat(outbox.lease()).isPresent();
  }

  @Test
  void aMailWhoseMasterKeyIsGoneWaits() throws Exception {
    add(MailTexts.passwordChanged("ann@b.example"));
    var without = new MailOutbox(store.pool(), new Seal(List.of()), false);

    MailSender.of(without, null, null, directory).deliverDue();

    assertThat(queried("SELECT tries FROM mail_outbox")).isEqualTo("1");
  }

  @Test
  void aMailServerGetsTheMail() throws Exception {
    add(MailTexts.resetPassword("ann@b.example", LINK));
    try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<String> received = CompletableFuture.supplyAsync(() -> smtp(listening));
      MailSender sender =
          MailSender.of(
              outbox,
              new Secret("smtp://127.0.0.1:" + listening.getLocalPort()),
              "gate@a.example",
              directory);

      sender.deliverDue();

      assertThat(received.get(10, TimeUnit.SECONDS))
          .contains("MAIL FROM:<gate@a.example>", "RCPT TO:<ann@b.example>", LINK);
      assertThat(sender.sent()).isEqualTo(1);
    }
  }

  @Test
  void noMessageShowsItsLink() {
    assertThat(MailTexts.resetPassword("ann@b.example", LINK).toString())
        .isEqualTo("reset-password");
    assertThatThrownBy(() -> new SmtpDelivery(new Secret("http://u:s3cr3t@h"), "a@b.example"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3cr3t");
  }

  private static int closedPort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Accepts one mail; returns all lines of the client. */
  private static String smtp(ServerSocket listening) {
    List<String> lines = new ArrayList<>();
    try (Socket socket = listening.accept();
        var in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        var out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
      out.print("220 test\r\n");
      out.flush();
      boolean isContent = false;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
        if (isContent && !line.equals(".")) {
          continue;
        }
        isContent = line.equals("DATA");
        out.print(isContent ? "354 go\r\n" : "250 ok\r\n");
        out.flush();
        if (line.equals("QUIT")) {
          break;
        }
      }
      return String.join("\n", lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
