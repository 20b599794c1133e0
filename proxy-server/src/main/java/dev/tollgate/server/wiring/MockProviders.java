package dev.tollgate.server.wiring;

import dev.tollgate.core.id.ProviderId;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.settings.ProviderSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Running servers of the configured providers of {@code type: mock}, each on its own loopback port.
 */
final class MockProviders implements AutoCloseable {
  private static final int ANY_PORT = 0;

  private final Map<ProviderId, MockProvider> running = new LinkedHashMap<>();

  MockProviders(Map<ProviderId, ProviderSettings> providers) {
    providers.forEach(
        (id, settings) -> {
          if (settings instanceof ProviderSettings.Mock mock) {
            running.put(id, MockProvider.start(profile(mock), ANY_PORT));
          }
        });
  }

  int port(ProviderId id) {
    return Objects.requireNonNull(running.get(id), "unknown mock provider").port();
  }

  @Override
  public void close() {
    running.values().forEach(MockProvider::close);
  }

  private static MockProfile profile(ProviderSettings.Mock mock) {
    return new MockProfile(mock.ttft(), mock.chunkInterval(), mock.chunks(), mock.seed());
  }
}
