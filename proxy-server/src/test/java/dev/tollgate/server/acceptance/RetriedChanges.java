package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.ControlClient.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Clients that create keys and invitations and change limits at the nodes of a fleet in turn. A
 * change without an answer is tried at the next node, with the same idempotency key or version,
 * until it has one; of some that create, the answer is not read on purpose.
 */
final class RetriedChanges implements AutoCloseable {
  private static final int CLIENTS = 3;
  private static final int PAUSE_MILLIS = 60;
  private static final int MORE = 12;
  private static final Duration ANSWERED = Duration.ofSeconds(60);
  private static final Duration SENT = Duration.ofSeconds(30);
  private static final String NAME = "kept-";
  private static final Pattern TO =
      Pattern.compile("^To: (\\S+@kept\\.example)\\s*$", Pattern.MULTILINE);

  private final ControlFleet fleet;
  private final ControlClient operator;
  private final int kills;
  private final List<String> organizations = new ArrayList<>();
  private final AtomicInteger organization = new AtomicInteger();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicInteger limitsChanged = new AtomicInteger();
  private final ConcurrentLinkedQueue<Made> made = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> clients = new ArrayList<>();
  private volatile boolean ending;

  /** What creates an object. */
  private record Creation(String path, String json, String name, String idempotencyKey) {
    String header() {
      return "Idempotency-Key: " + idempotencyKey;
    }

    boolean isKey() {
      return path.endsWith("/keys");
    }

    String idIn(Reply reply) {
      return reply.json().at(isKey() ? "/key/id" : "/id").asText();
    }
  }

  /** Object that was created, as its creation was answered. */
  private record Made(Creation creation, String id) {}

  /** Call of a node. */
  private interface Call {
    Reply at(URI node) throws IOException, InterruptedException;
  }

  RetriedChanges(ControlFleet fleet, ControlClient operator, int kills) throws Exception {
    this.fleet = fleet;
    this.operator = operator;
    this.kills = kills;
    for (int n = 0; n <= kills; n++) {
      organizations.add(newOrganization("kills-" + kills + "-" + n));
    }
    for (int n = 0; n < CLIENTS; n++) {
      int number = n;
      clients.add(threads.submit(() -> change(number)));
    }
  }

  private String newOrganization(String name) throws Exception {
    Reply reply =
        operator.post(fleet.control(0), "/operator/orgs", "{'name':'%s'}".formatted(name));
    assertThat(reply.status()).as("%s", reply).isEqualTo(201);
    String id = reply.json().at("/organization/id").asText();
    assertThat(id).as("%s", reply).isNotEmpty();
    Reply unbounded =
        operator.patch(fleet.control(0), "/operator/orgs/" + id, "{'max_api_keys':0}");
    assertThat(unbounded.status()).as("%s", unbounded).isEqualTo(200);
    return id;
  }

  /** An organization has at most 100 open invitations, so each part of a run has its own. */
  void nextOrganization() {
    organization.incrementAndGet();
  }

  /** Waits for some more changes to be begun. */
  void awaitMore() throws Exception {
    int enough = begun.get() + MORE;
    long deadlineNanos = System.nanoTime() + ANSWERED.toNanos();
    while (begun.get() < enough) {
      assertThat(System.nanoTime() - deadlineNanos).as("%d changes", begun.get()).isNegative();
      CrashingNodes.pause(PAUSE_MILLIS);
    }
  }

  private int change(int client) throws Exception {
    int done = 0;
    Limited limited = new Limited(organizations.getFirst(), client);
    while (!ending) {
      int number = begun.getAndIncrement();
      switch (number % 10) {
        case 0, 1, 2, 3 -> create(number, key(number));
        case 4 -> create(number, invitation(number));
        default -> limited.change(number);
      }
      done++;
      CrashingNodes.pause(PAUSE_MILLIS);
    }
    return done;
  }

  private Creation key(int number) {
    String name = NAME + kills + "-" + number;
    return new Creation(path("/keys"), "{'name':'%s'}".formatted(name), name, name);
  }

  private Creation invitation(int number) {
    String email = kills + "-" + number + "@kept.example";
    String json = "{'email':'%s','role':'viewer'}".formatted(email);
    return new Creation(path("/invitations"), json, email, email);
  }

  private String path(String what) {
    return "/orgs/" + organizations.get(organization.get()) + what;
  }

  private void create(int number, Creation creation) throws Exception {
    if (number % 4 == 0) { // one of both kinds
      leave(number, creation);
    }
    Reply reply = untilAnswered(number + 1, node -> post(node, creation));
    assertThat(reply.status()).as("%s", reply).isEqualTo(201);
    made.add(new Made(creation, creation.idIn(reply)));
  }

  private Reply post(URI node, Creation creation) throws IOException, InterruptedException {
    return operator.post(
        node, creation.path(), creation.json(), "Idempotency-Key", creation.idempotencyKey());
  }

  private void leave(int number, Creation creation) throws InterruptedException {
    try {
      URI node = fleet.control(number % ControlFleet.NODES);
      operator.postAndLeave(node, creation.path(), creation.json(), creation.header());
    } catch (RuntimeException killed) {
      // it is made at another node
    }
    unanswered.incrementAndGet();
  }

  /** Calls node after node until one answers. */
  private Reply untilAnswered(int first, Call call) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + ANSWERED.toNanos();
    for (int turn = first; ; turn++) {
      assertThat(System.nanoTime() - deadlineNanos).as("no node answers").isNegative();
      try {
        Reply reply = call.at(fleet.control(turn % ControlFleet.NODES));
        if (!reply.outcome().equals("409 idempotency_conflict") && reply.status() != 503) {
          return reply;
        }
      } catch (IOException killed) {
        unanswered.incrementAndGet();
      }
      CrashingNodes.pause(PAUSE_MILLIS);
    }
  }

  /** Key of one client, whose limit it changes again and again. */
  private final class Limited {
    private final String path;
    private int version;

    Limited(String org, int client) throws Exception {
      String name = "limited-" + kills + "-" + client;
      var creation = new Creation("/orgs/" + org + "/keys", "{'name':'" + name + "'}", name, name);
      Reply reply = untilAnswered(client, node -> post(node, creation));
      path = creation.path() + "/" + creation.idIn(reply);
      version = reply.json().at("/key/version").asInt();
      made.add(new Made(creation, creation.idIn(reply)));
    }

    /** A version that has passed means that a change was made whose answer was lost. */
    void change(int number) throws Exception {
      String json = "{'limits':{'requests_per_minute':%d}}".formatted(1_000 + number);
      String etag = "\"" + version + "\"";
      Reply reply =
          untilAnswered(number, node -> operator.patch(node, path, json, "If-Match", etag));
      assertThat(reply.outcome()).isIn("200", "409 conflict version");
      Reply now = untilAnswered(number, node -> operator.get(node, path));
      assertThat(now.json().at("/limits/requests_per_minute").asInt()).isEqualTo(1_000 + number);
      version = now.json().path("version").asInt();
      limitsChanged.incrementAndGet();
    }
  }

  /** Ends the clients, each after its last change. */
  @Override
  public void close() {
    ending = true;
    threads.close();
  }

  /**
   * Ends the clients, and checks that every change is there once, with one row of the audit log,
   * and that each mail was sent.
   */
  void requireAllOnce() throws Exception {
    close();
    for (Future<?> client : clients) {
      var _ = client.get();
    }
    requireSameAgain();
    requireRows("api_key", "key.create", made.stream().filter(each -> each.creation().isKey()));
    requireRows(
        "invitation", "invitation.create", made.stream().filter(each -> !each.creation().isKey()));
    assertThat(
            fleet
                .database()
                .number(
                    "SELECT count(*) FROM audit_event WHERE action = 'key.update'"
                        + " AND target_name LIKE 'limited-%d-%%'".formatted(kills)))
        .isEqualTo(limitsChanged.get());
    requireMails();
  }

  /** Requires a row of each object and no other, and one row of the audit log for each. */
  private void requireRows(String table, String action, Stream<Made> objects) throws Exception {
    List<String> ids = objects.map(Made::id).toList();
    assertThat(ids).doesNotHaveDuplicates();
    String ours =
        " org_id IN (SELECT id FROM organization WHERE name LIKE 'kills-" + kills + "-%')";
    assertThat(fleet.database().texts("SELECT id FROM " + table + " WHERE" + ours))
        .as(table)
        .containsExactlyInAnyOrderElementsOf(ids);
    assertThat(
            fleet
                .database()
                .texts(
                    "SELECT target_id FROM audit_event WHERE action = '" + action + "' AND" + ours))
        .as("rows of the audit log, %s", action)
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  /** A repetition with the same idempotency key gets the same object, at each node. */
  private void requireSameAgain() throws Exception {
    int turn = 0;
    for (Made one : made) {
      Reply again = post(fleet.control(turn++ % ControlFleet.NODES), one.creation());
      assertThat(one.creation().idIn(again)).as("%s", again).isEqualTo(one.id());
      assertThat(again.isReplayed()).as("%s", again).isTrue();
    }
  }

  private void requireMails() throws Exception {
    awaitOutbox();
    Map<String, Integer> sent = new HashMap<>();
    for (NodeFolder folder : fleet.folders()) {
      countMails(folder.dataDir().resolve("mail"), sent);
    }
    List<String> invited =
        made.stream()
            .filter(each -> !each.creation().isKey())
            .map(each -> each.creation().name())
            .toList();
    sent.keySet().retainAll(invited);
    assertThat(sent.keySet()).containsExactlyInAnyOrderElementsOf(invited);
    int twice = sent.values().stream().mapToInt(count -> count - 1).sum();
    assertThat(twice)
        .as("mails sent again, at most one of each killed node")
        .isLessThanOrEqualTo(kills);
  }

  /**
   * Waits until all mails are sent. Those that a killed node was sending are due after two minutes,
   * which are cut short.
   */
  private void awaitOutbox() throws Exception {
    String waiting = "SELECT count(*) FROM mail_outbox";
    String ofKilled =
        "WITH due AS (UPDATE mail_outbox SET lease_until = ledger_now()"
            + " WHERE lease_until < ledger_now() + interval '117 seconds' RETURNING 1)"
            + " SELECT count(*) FROM due";
    long deadlineNanos = System.nanoTime() + SENT.toNanos();
    while (fleet.database().number(waiting) > 0) {
      assertThat(System.nanoTime() - deadlineNanos).as("mails wait").isNegative();
      var _ = fleet.database().number(ofKilled);
      CrashingNodes.pause(PAUSE_MILLIS);
    }
  }

  /** A mail that was being written when its node was killed is not complete. */
  private static void countMails(Path folder, Map<String, Integer> sent) throws IOException {
    if (!Files.isDirectory(folder)) {
      return; // the others sent all
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String text = Files.readString(file);
        Matcher to = TO.matcher(text);
        if (to.find() && text.strip().endsWith("--")) {
          sent.merge(to.group(1), 1, Integer::sum);
        }
      }
    }
  }

  String figures() {
    return "%d objects created, %d limits changed, %d calls without an answer, %d kills: each change is there once"
        .formatted(made.size(), limitsChanged.get(), unanswered.get(), kills);
  }
}
