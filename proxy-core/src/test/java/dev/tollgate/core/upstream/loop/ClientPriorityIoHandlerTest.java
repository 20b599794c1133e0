package dev.tollgate.core.upstream.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.internal.PlatformDependent;
import java.nio.channels.SelectableChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Order of sockets, with a scripted transport. */
class ClientPriorityIoHandlerTest {
  private final Reports reports = new Reports();
  private final List<String> handled = new ArrayList<>();
  private long nanos;
  private long eachTakesNanos = ClientPriorityIoHandler.SLICE_NANOS;
  private final ClientPriorityIoHandler turns = new ClientPriorityIoHandler(reports, () -> nanos);

  @BeforeEach
  void begin() {
    turns.initialize();
  }

  @AfterEach
  void end() {
    turns.destroy();
  }

  @Test
  void aClientGoesBeforeProvidersThatWereReportedEarlier() throws Exception {
    provider("p1");
    provider("p2");
    client("c");

    reports.next("p1", "p2", "c");
    turns.run(MAY_SLEEP);

    assertThat(handled).containsExactly("c READ", "p1 READ");
  }

  @Test
  void theLoopPollsForClientsAfterEachSlice() throws Exception {
    provider("p1");
    provider("p2");
    provider("p3");
    client("c");

    reports.next("p1", "p2", "p3");
    reports.next("p2", "p3");
    reports.next("c", "p3");
    for (int look = 0; look < 3; look++) {
      turns.run(MAY_SLEEP);
    }

    assertThat(handled).containsExactly("p1 READ", "p2 READ", "c READ", "p3 READ");
  }

  @Test
  void aSliceIsBoundedByTimeNotByCount() throws Exception {
    eachTakesNanos = ClientPriorityIoHandler.SLICE_NANOS / 4;
    String[] names = {"p1", "p2", "p3", "p4", "p5", "p6"};
    for (String name : names) {
      provider(name);
    }

    reports.next(names);

    assertThat(turns.run(MAY_SLEEP)).as("those that were reported, and handled").isEqualTo(6 + 4);
    assertThat(handled).hasSize(4);
  }

  @Test
  void queuedEventsAreHandledInAFloodOfClients() throws Exception {
    provider("p1");
    provider("p2");
    client("c");

    reports.next("p1", "p2", "c", "c", "c");
    reports.next("c", "c", "c");
    turns.run(MAY_SLEEP);
    turns.run(MAY_SLEEP);

    assertThat(handled).containsSubsequence("c READ", "p1 READ", "c READ", "p2 READ").hasSize(8);
  }

  @Test
  void aFloodOfClientsLeavesQueuedEventsAsMuchTimeAsItTook() throws Exception {
    String[] providers = new String[9];
    for (int n = 0; n < providers.length; n++) {
      providers[n] = "p" + n;
      provider(providers[n]);
    }
    client("c");

    reports.next(providers);
    reports.next("c", "c", "c", "c", "c", "c", "c", "c");
    turns.run(MAY_SLEEP);
    assertThat(handled).containsExactly("p0 READ");
    turns.run(MAY_SLEEP);

    assertThat(handled).as("each takes a turn's time").hasSize(1 + 8 + 8).endsWith("p8 READ");
  }

  @Test
  void theLoopSleepsOnlyWithAnEmptyQueue() throws Exception {
    provider("p1");
    provider("p2");

    reports.next("p1", "p2");
    for (int look = 0; look < 3; look++) {
      turns.run(MAY_SLEEP);
    }

    assertThat(reports.mightSleep).containsExactly(true, false, true);
  }

  @Test
  void eventsOfAQueuedSocketAreMerged() throws Exception {
    provider("p1");
    provider("p2");

    reports.next("p1", "p2");
    reports.next("p2", "p2 WRITE");
    turns.run(MAY_SLEEP);
    turns.run(MAY_SLEEP);
    turns.run(MAY_SLEEP);

    assertThat(handled).containsExactly("p1 READ", "p2 READ WRITE");
  }

  @Test
  void overlappingFlagsAreMerged() throws Exception {
    provider("p1");
    provider("p2");

    reports.next("p1", "p2");
    reports.next("p2 WRITE");
    reports.next("p1", "p2", "p2 READ WRITE");
    turns.run(MAY_SLEEP);
    handled.clear();
    turns.run(MAY_SLEEP);
    turns.run(MAY_SLEEP);
    turns.run(MAY_SLEEP);

    assertThat(handled).containsExactly("p2 READ WRITE", "p1 READ", "p2 READ WRITE");
  }

  @Test
  void aSocketRegisteredMeanwhileDoesNotInheritAQueuedEvent() throws Exception {
    Socket provider = client("p");
    client("c");
    turns.deprioritize(provider);

    reports.next("p", "c");
    turns.run(MAY_SLEEP);

    assertThat(handled).containsExactly("c READ", "p READ");
  }

  @Test
  void anUnregisteredSocketIsForgotten() throws Exception {
    Socket provider = client("p");
    reports.of("p").handle.unregistered();
    turns.deprioritize(provider);

    reports.next("p");
    turns.run(MAY_SLEEP);

    assertThat(reports.mightSleep).containsExactly(true);
    assertThat(handled).containsExactly("p READ");
  }

  @Test
  void aSocketThatEndedWhileQueuedIsSkipped() throws Exception {
    provider("p1");
    provider("p2");

    reports.next("p1", "p2");
    turns.run(MAY_SLEEP);
    reports.of("p2").cancel();
    turns.run(MAY_SLEEP);

    assertThat(handled).containsExactly("p1 READ");
  }

  /** Such as direct memory that ran out while a timeout was dealt with. */
  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, OutOfMemoryError.class})
  void aSurpriseAmidTheLineEndsNeitherTheLoopNorTheLine(Class<? extends Throwable> surprise)
      throws Exception {
    eachTakesNanos = 0;
    provider("p1");
    Throwable thrown = surprise.getConstructor(String.class).newInstance("a test's");
    ClientPriorityIoHandler.executeQueued(() -> PlatformDependent.throwException(thrown));

    reports.next("p1");
    turns.run(MAY_SLEEP);

    assertThat(handled).containsExactly("p1 READ");
  }

  @Test
  void aQueuedTaskRunsAfterEarlierEvents() throws Exception {
    eachTakesNanos = 0;
    provider("p1");
    client("c");
    reports.andThen = () -> ClientPriorityIoHandler.executeQueued(() -> handled.add("task"));

    reports.next("p1", "c");
    turns.run(MAY_SLEEP);

    assertThat(handled).containsExactly("c READ", "p1 READ", "task");
  }

  @Test
  void anotherLoopRunsATaskAtOnce() {
    turns.destroy();

    ClientPriorityIoHandler.executeQueued(() -> handled.add("task"));

    assertThat(handled).containsExactly("task");
  }

  private Socket client(String name) throws Exception {
    reports.name = name;
    Socket socket = new Socket(name);
    var _ = turns.register(socket);
    return socket;
  }

  private void provider(String name) throws Exception {
    turns.deprioritize(client(name));
  }

  private static final IoHandlerContext MAY_SLEEP =
      new IoHandlerContext() {
        @Override
        public boolean canBlock() {
          return true;
        }

        @Override
        public long delayNanos(long nowNanos) {
          return 1;
        }

        @Override
        public long deadlineNanos() {
          return 1;
        }
      };

  /** Socket whose events take the time that the test sets. */
  private final class Socket implements NioIoHandle {
    private final String name;

    Socket(String name) {
      this.name = name;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      NioIoOps ops = ((NioIoEvent) event).ops();
      handled.add(
          name
              + (ops.contains(NioIoOps.READ) ? " READ" : "")
              + (ops.contains(NioIoOps.WRITE) ? " WRITE" : ""));
      nanos += eachTakesNanos;
    }

    @Override
    public SelectableChannel selectableChannel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  /** Transport that reports the next sockets at each poll. */
  private static final class Reports implements IoHandler {
    private final Map<String, Registration> registrations = new TreeMap<>();
    private final ArrayDeque<String[]> looks = new ArrayDeque<>();
    private final List<Boolean> mightSleep = new ArrayList<>();
    private Runnable andThen = () -> {};
    private String name = "";

    void next(String... names) {
      looks.add(names);
    }

    Registration of(String who) {
      return Objects.requireNonNull(registrations.get(who));
    }

    @Override
    public int run(IoHandlerContext context) {
      mightSleep.add(context.canBlock());
      String[] ready = looks.isEmpty() ? new String[0] : looks.remove();
      for (String who : ready) {
        String its = who.split(" ", 2)[0];
        NioIoOps ops =
            who.equals(its)
                ? NioIoOps.READ
                : who.contains("READ") ? NioIoOps.READ.with(NioIoOps.WRITE) : NioIoOps.WRITE;
        Registration reported = of(its);
        reported.handle.handle(reported, (NioIoEvent) () -> ops);
      }
      andThen.run();
      return ready.length;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      var registration = new Registration(handle);
      registrations.put(name, registration);
      return registration;
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return true;
    }
  }

  private static final class Registration implements IoRegistration {
    private final IoHandle handle;
    private boolean cancelled;

    Registration(IoHandle handle) {
      this.handle = handle;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
    public <T> T attachment() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long submit(IoOps ops) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isValid() {
      return !cancelled;
    }

    @Override
    public boolean cancel() {
      cancelled = true;
      return true;
    }
  }
}
