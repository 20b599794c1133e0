package dev.tollgate.core.testkit;

import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ImmediateEventExecutor;

/**
 * Priority queue of event loops driven by the test's own thread: low-priority tasks wait in the
 * queue until the test runs it.
 */
public final class ManualPriorityLoop implements AutoCloseable {
  private final IoHandler handler =
      ClientPriorityIoHandler.on(_ -> new NoSockets()).newHandler(ImmediateEventExecutor.INSTANCE);

  public ManualPriorityLoop() {
    handler.initialize();
  }

  /** Runs all queued tasks, and those that they add. */
  public void runAll() {
    while (handler.run(new NeverSleeps()) > 0) {
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    handler.destroy();
  }

  private record NeverSleeps() implements IoHandlerContext {
    @Override
    public boolean canBlock() {
      return false;
    }

    @Override
    public long delayNanos(long nowNanos) {
      return 0;
    }

    @Override
    public long deadlineNanos() {
      return -1;
    }
  }

  private record NoSockets() implements IoHandler {
    @Override
    public int run(IoHandlerContext context) {
      return 0;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return false;
    }
  }
}
