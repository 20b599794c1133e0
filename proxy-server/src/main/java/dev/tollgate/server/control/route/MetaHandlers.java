package dev.tollgate.server.control.route;

import java.sql.SQLException;

/** Handlers of the calls that need no account: meta data, API description, files. */
public final class MetaHandlers {
  private MetaHandlers() {}

  /** Source of the meta data, which may ask the store. */
  public interface MetaSource {
    Meta meta() throws SQLException;
  }

  public static void add(Handlers.Builder handlers, MetaSource meta, DashboardFiles files) {
    handlers
        .replies(Route.META, _ -> meta.meta())
        .replies(Route.OPENAPI, _ -> OpenApi.DOCUMENT)
        .on(Route.SHELL, request -> files.shell(request.meta().acceptsGzip()))
        .on(
            Route.ASSET,
            request -> files.asset(request.path().text("asset"), request.meta().acceptsGzip()));
  }
}
