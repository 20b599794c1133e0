package dev.tollgate.server.wiring;

import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.ops.Signals;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Standalone server of the bundled mock provider, for {@code tollgate mock}. */
public final class MockServer implements AutoCloseable {
  private final MockProvider provider;
  private final CountDownLatch stop = new CountDownLatch(1);

  private MockServer(MockProvider provider) {
    this.provider = provider;
  }

  /**
   * Starts on 127.0.0.1; port 0 takes a free one.
   *
   * @throws IllegalArgumentException for a value outside of its range
   * @throws IllegalStateException if the port is not free
   */
  public static MockServer start(
      int port, Duration ttft, Duration chunkInterval, int chunks, long seed, int threads) {
    MockProfile profile = new MockProfile(ttft, chunkInterval, chunks, seed);
    var server = new MockServer(MockProvider.start(profile, port, threads));
    Signals.onStop(server.stop::countDown);
    return server;
  }

  /** Returns the {@code base_url} to configure for a provider. */
  public String baseUrl() {
    return provider.baseUrl();
  }

  /** Waits for SIGTERM or SIGINT. */
  public void awaitStop() throws InterruptedException {
    stop.await();
  }

  @Override
  public void close() {
    provider.close();
  }
}
