package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.Claim;
import dev.tollgate.core.idempotency.Claim.DispatchResult;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.idempotency.IdempotencyStore.ClaimResult;
import dev.tollgate.core.idempotency.IdempotencyStore.ReplyMemory;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.idempotency.Submission;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Contract of every {@link IdempotencyStore}; each implementation has a test that extends it. Two
 * nodes use the store, of which the first may crash.
 */
public abstract class IdempotencyContract {
  private static final String PATH = "/v1/images/generations";
  private static final ReplyMemory ROOM = _ -> true;
  private static final MockTicker TICKER = Ticker.newMockTicker();
  private static final EmbeddedChannel LOOP = EmbeddedChannel.builder().ticker(TICKER).build();

  private final OrgId org = new OrgId(UUID.randomUUID());

  /** Returns the store of the first node. */
  protected abstract IdempotencyStore first();

  /** Returns the store of the second node. */
  protected abstract IdempotencyStore second();

  /** Crashes the first node. */
  protected abstract void crash();

  /** Lets the length of a lease pass, in which living nodes renew theirs. */
  protected abstract void passLease();

  /** Lets the retention of replies pass. */
  protected abstract void passDay();

  /** Makes the store unreachable for the rest of the test. */
  protected abstract void makeUnavailable();

  // Claims

  @Test
  void oneCarriesItOutAndOthersHearThatItRuns() {
    Claim claim = claimed(first(), "k", "body");

    assertThat(ask(first(), "k", "body")).isInstanceOf(ClaimResult.Running.class);
    assertThat(ask(second(), "k", "body")).isInstanceOf(ClaimResult.Running.class);
    dispatch(claim);
    assertThat(ask(second(), "k", "body")).isInstanceOf(ClaimResult.Running.class);
    claim.free(() -> {});
  }

  @Test
  void aRunningSubmissionReportsItsTimeLeft() {
    Claim claim = claimed(first(), "k", "body");

    assertThat(ask(second(), "k", "body"))
        .isInstanceOfSatisfying(
            ClaimResult.Running.class,
            running -> assertThat(running.age()).isGreaterThanOrEqualTo(Duration.ZERO));
    claim.free(() -> {});
  }

  @Test
  void aKeyBelongsToItsBody() {
    Claim claim = claimed(first(), "k", "body");

    assertThat(ask(second(), "k", "other")).isInstanceOf(ClaimResult.Conflict.class);
    dispatch(claim);
    assertThat(ask(second(), "k", "other")).isInstanceOf(ClaimResult.Conflict.class);
    complete(claim, reply(200, "made"));
    assertThat(ask(second(), "k", "other")).isInstanceOf(ClaimResult.Conflict.class);
  }

  @Test
  void aKeyIsOneOrganizationsAtOneEndpoint() {
    claimed(first(), submission(org, PATH, "k", "body", "lost")).free(() -> {});
    Claim one = claimed(first(), submission(org, PATH, "k", "body", "lost"));
    var stranger = new OrgId(UUID.randomUUID());
    Claim strangers = claimed(first(), submission(stranger, PATH, "k", "x", "lost"));
    Claim elsewhere = claimed(first(), submission(org, "/v1/images/edits", "k", "y", "lost"));
    Claim longer = claimed(first(), submission(org, PATH, "k".repeat(255), "z", "lost"));
    Claim latin = claimed(first(), submission(org, PATH, "k\u00e9'\"\\ {}", "z", "lost"));
    for (Claim each : List.of(one, strangers, elsewhere, longer, latin)) {
      each.free(() -> {});
    }
  }

  // Stored replies

  @Test
  void whatWasMadeIsAnsweredAgainAndAgain() {
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    complete(claim, reply(200, "made"));

    for (IdempotencyStore node : List.of(first(), second(), first())) {
      StoredReply replayed = replayed(node, "k", "body");
      assertThat(replayed.status()).isEqualTo(200);
      assertThat(replayed.contentType()).isEqualTo("application/json");
      assertThat(replayed.fields())
          .containsExactly(
              new Field("X-LLM-Provider", "alpha"), new Field("X-Odd", "a,\"b\" {c} \u00e9\\"));
      assertThat(text(replayed)).isEqualTo("made");
    }
  }

  @Test
  void anyBytesAreKept() {
    byte[] bytes = new byte[300_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 + i / 256);
    }
    ByteBuf body = Unpooled.wrappedBuffer(bytes.clone()).slice();
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    complete(claim, new StoredReply(200, "image/png", List.of(), body));
    Claim empty = claimed(first(), "e", "body");
    dispatch(empty);
    complete(empty, new StoredReply(502, "text/plain", List.of(), Unpooled.EMPTY_BUFFER));

    assertThat(ByteBufUtil.getBytes(replayed(second(), "k", "body").body())).isEqualTo(bytes);
    assertThat(text(replayed(second(), "e", "body"))).isEmpty();
  }

  @Test
  void aFreedKeyMayBeUsedWithAnyBody() {
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    claim.free(() -> {});

    claimed(second(), "k", "other").free(() -> {});
  }

  @Test
  void repliesAreKeptForADay() {
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    complete(claim, reply(200, "made"));
    passLease();
    assertThat(text(replayed(second(), "k", "body"))).isEqualTo("made");

    passDay();
    claimed(second(), "k", "other").free(() -> {});
  }

  @Test
  void aReplyWithoutRoomIsNotRead() {
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    complete(claim, reply(200, "four"));
    List<Integer> asked = new ArrayList<>();

    ClaimResult answer =
        answer(
            second(),
            submission(org, PATH, "k", "body", "lost"),
            bytes -> {
              asked.add(bytes);
              return false;
            });
    assertThat(answer).isInstanceOf(ClaimResult.ReplyNotStored.class);
    assertThat(asked).containsExactly(4);
  }

  // Crashes

  @Test
  void aLivingNodeKeepsItsClaim() {
    Claim claim = claimed(first(), "k", "body");
    passLease();
    assertThat(ask(second(), "k", "body")).isInstanceOf(ClaimResult.Running.class);
    dispatch(claim);
    passLease();
    passLease();
    assertThat(ask(second(), "k", "body")).isInstanceOf(ClaimResult.Running.class);
    complete(claim, reply(200, "made"));
    assertThat(text(replayed(second(), "k", "body"))).isEqualTo("made");
  }

  @Test
  void anUndispatchedClaimIsFreeWhenItsLeaseExpires() {
    claimed(first(), "k", "body");
    crash();
    assertThat(ask(second(), "k", "body")).isInstanceOf(ClaimResult.Running.class);

    passLease();
    claimed(second(), "k", "other").free(() -> {});
  }

  @Test
  void aDispatchedRequestWithoutResultIsLostForGood() {
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    crash();
    assertThat(ask(second(), "k", "body")).isInstanceOf(ClaimResult.Running.class);

    passLease();
    assertThat(ask(second(), "k", "other")).isInstanceOf(ClaimResult.Conflict.class);
    StoredReply lost = replayed(second(), submission(org, PATH, "k", "body", "first to find out"));
    assertThat(lost.status()).isEqualTo(502);
    assertThat(lost.fields()).containsExactly(new Field("x-should-retry", "false"));
    assertThat(text(lost)).isEqualTo("first to find out");
    StoredReply again = replayed(second(), submission(org, PATH, "k", "body", "second"));
    assertThat(text(again)).isEqualTo("first to find out");

    passDay();
    claimed(second(), "k", "body").free(() -> {});
  }

  @Test
  void anAbandonedClaimEndsWithItsLease() {
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    claim.abandon();

    passLease();
    assertThat(replayed(second(), "k", "body").status()).isEqualTo(502);
  }

  @Test
  void whoComesBackTooLateFindsTheKeyTaken() {
    Claim late = claimed(first(), "k", "body");
    crash();
    passLease();
    Claim other = claimed(second(), "k", "other");

    assertThat(marked(late)).isInstanceOf(DispatchResult.Lost.class);
    late.free(() -> {});
    dispatch(other);
    complete(other, reply(200, "the other's"));
    assertThat(text(replayed(second(), "k", "other"))).isEqualTo("the other's");
  }

  @Test
  void aLateResultReplacesTheLoss() {
    Claim claim = claimed(first(), "k", "body");
    dispatch(claim);
    crash();
    passLease();
    assertThat(replayed(second(), "k", "body").status()).isEqualTo(502);

    complete(claim, reply(200, "made"));
    assertThat(text(replayed(second(), "k", "body"))).isEqualTo("made");
  }

  @Test
  void noClaimIsGrantedDuringAnOutage() {
    Claim claim = claimed(first(), "k", "body");
    makeUnavailable();

    assertThat(ask(first(), "other", "body")).isInstanceOf(ClaimResult.Unavailable.class);
    assertThat(marked(claim)).isInstanceOf(DispatchResult.Unavailable.class);
    List<String> outcomes = new ArrayList<>();
    claim.free(() -> outcomes.add("freed"));
    assertThat(outcomes).containsExactly("freed");
  }

  // Steps

  protected final Claim claimed(IdempotencyStore node, String key, String body) {
    return claimed(node, submission(org, PATH, key, body, "lost"));
  }

  private static Claim claimed(IdempotencyStore node, Submission submission) {
    ClaimResult answer = answer(node, submission, ROOM);
    if (answer instanceof ClaimResult.Claimed claimed) {
      return claimed.claim();
    }
    throw new AssertionError("not claimed but " + answer);
  }

  protected final ClaimResult ask(IdempotencyStore node, String key, String body) {
    return answer(node, submission(org, PATH, key, body, "lost"), ROOM);
  }

  /** Claims a key; the result arrives when the node answers. */
  protected final void ask(
      IdempotencyStore node, String key, String body, Consumer<ClaimResult> whenKnown) {
    ask(node, org, key, body, whenKnown);
  }

  /** Claims a key for another organization. */
  protected static void ask(
      IdempotencyStore node, OrgId org, String key, String body, Consumer<ClaimResult> whenKnown) {
    node.claim(submission(org, PATH, key, body, "lost"), ROOM, LOOP.eventLoop(), whenKnown);
  }

  protected final StoredReply replayed(IdempotencyStore node, String key, String body) {
    return replayed(node, submission(org, PATH, key, body, "lost"));
  }

  private static StoredReply replayed(IdempotencyStore node, Submission submission) {
    ClaimResult answer = answer(node, submission, ROOM);
    if (answer instanceof ClaimResult.Replay replay) {
      return replay.reply();
    }
    throw new AssertionError("not replayed but " + answer);
  }

  protected static ClaimResult answer(
      IdempotencyStore node, Submission submission, ReplyMemory room) {
    AtomicReference<ClaimResult> result = new AtomicReference<>();
    node.claim(submission, room, LOOP.eventLoop(), result::set);
    ClaimResult answer = result.get();
    assertThat(answer).isNotNull();
    return answer;
  }

  protected static void dispatch(Claim claim) {
    assertThat(marked(claim)).isInstanceOf(DispatchResult.Recorded.class);
  }

  private static DispatchResult marked(Claim claim) {
    AtomicReference<DispatchResult> result = new AtomicReference<>();
    claim.dispatch(result::set);
    DispatchResult marked = result.get();
    assertThat(marked).isNotNull();
    return marked;
  }

  protected static void complete(Claim claim, StoredReply reply) {
    List<String> outcomes = new ArrayList<>();
    claim.complete(reply, noted(outcomes));
    assertThat(outcomes).containsExactly("stored");
  }

  /** Returns a completion that notes its outcome. */
  protected static Claim.Completion noted(List<String> outcomes) {
    return new Claim.Completion() {
      @Override
      public void delayed() {
        outcomes.add("delayed");
      }

      @Override
      public void stored() {
        outcomes.add("stored");
      }

      @Override
      public void lost() {
        outcomes.add("lost");
      }
    };
  }

  /** Lets time pass on the loop. */
  protected static void pass(Duration time) {
    TICKER.advance(time.toNanos(), TimeUnit.NANOSECONDS);
    LOOP.runPendingTasks();
    LOOP.runScheduledPendingTasks();
  }

  protected static StoredReply reply(int status, String body) {
    return new StoredReply(
        status,
        "application/json",
        List.of(new Field("X-LLM-Provider", "alpha"), new Field("X-Odd", "a,\"b\" {c} \u00e9\\")),
        Unpooled.copiedBuffer(body, UTF_8));
  }

  /** Reply stored for a key in place of one without room. */
  protected static final StoredReply NOT_KEPT =
      new StoredReply(
          409,
          "application/json",
          List.of(),
          Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("not kept", UTF_8)));

  protected final Submission submission(String key, String body) {
    return submission(org, PATH, key, body, "lost");
  }

  private static Submission submission(
      OrgId org, String path, String key, String body, String lost) {
    byte[] bytes = body.getBytes(UTF_8);
    var ifLost =
        new StoredReply(
            502,
            "application/json",
            List.of(new Field("x-should-retry", "false")),
            Unpooled.copiedBuffer(lost, UTF_8));
    return new Submission(
        org,
        path,
        new IdempotencyKey(key),
        new BodyFingerprint(bytes, bytes.length, ""),
        RequestId.at(1_700_000_000_000L),
        ifLost,
        NOT_KEPT);
  }

  private static String text(StoredReply reply) {
    return reply.body().toString(UTF_8);
  }
}
