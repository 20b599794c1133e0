package dev.tollgate.server.ops;

import dev.tollgate.core.pipeline.Gateway;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;

/** Adapter that lets {@link Shutdown} drain the listeners for clients and their requests. */
public record GatewayTraffic(List<Gateway> gateways, IntSupplier requests)
    implements Shutdown.Traffic {
  public GatewayTraffic {
    gateways = List.copyOf(gateways);
  }

  @Override
  public void announceClose() {
    gateways.forEach(Gateway::announceClose);
  }

  @Override
  public void closeListener() {
    gateways.forEach(Gateway::stopAccepting);
  }

  @Override
  public CompletionStage<?> idle() {
    return CompletableFuture.allOf(
        gateways.stream()
            .map(gateway -> gateway.closed().toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  @Override
  public void cutShort() {
    gateways.forEach(Gateway::cutShort);
  }

  @Override
  public int running() {
    return requests.getAsInt();
  }
}
