package dev.tollgate.mock;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.testkit.RawClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Mock provider shared by all tests of a class, with a separate connection for each test. */
public final class RunningMock implements BeforeAllCallback, AfterAllCallback, AfterEachCallback {
  private @Nullable MockProvider mock;
  private @Nullable RawClient client;

  @Override
  public void beforeAll(ExtensionContext context) {
    mock = MockProvider.start(MockProfile.IMMEDIATE, 0);
  }

  public MockProvider provider() {
    return requireNonNull(mock);
  }

  public int port() {
    return provider().port();
  }

  /** Returns the test's own connection, closed after the test. */
  public RawClient client() {
    RawClient open = client;
    if (open == null) {
      open = RawClient.connect(port());
      client = open;
    }
    return open;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (client != null) {
      client.close();
    }
    client = null;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    provider().close();
  }
}
