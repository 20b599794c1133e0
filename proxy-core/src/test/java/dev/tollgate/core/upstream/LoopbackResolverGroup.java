package dev.tollgate.core.upstream;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Every name is this machine, but {@code nowhere} does not exist and {@code slow} never answers.
 */
final class LoopbackResolverGroup extends AddressResolverGroup<InetSocketAddress> {
  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
    return new InetNameResolver(executor) {
      @Override
      protected void doResolve(String name, Promise<InetAddress> promise) {
        switch (name) {
          case "nowhere.example" -> promise.setFailure(new UnknownHostException(name));
          case "slow.example" -> {}
          default -> promise.setSuccess(InetAddress.getLoopbackAddress());
        }
      }

      @Override
      protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
        promise.setFailure(new UnsupportedOperationException());
      }
    }.asAddressResolver();
  }
}
