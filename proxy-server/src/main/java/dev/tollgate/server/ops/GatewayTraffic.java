package dev.tollgate.server.ops;

import dev.tollgate.core.pipeline.Gateway;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;

/**
 * Adapter that lets {@link Shutdown} drain the API listener of the gateway and its running
 * requests.
 */
public record GatewayTraffic(Gateway gateway, IntSupplier requests) implements Shutdown.Traffic {
  @Override
  public void announceClose() {
    gateway.announceClose();
  }

  @Override
  public void closeListener() {
    gateway.stopAccepting();
  }

  @Override
  public CompletionStage<?> idle() {
    return gateway.closed();
  }

  @Override
  public void cutShort() {
    gateway.cutShort();
  }

  @Override
  public int running() {
    return requests.getAsInt();
  }
}
