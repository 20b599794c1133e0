package dev.tollgate.server.wiring;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.ops.AdminReply;
import dev.tollgate.server.ops.AdminRoute;
import dev.tollgate.server.ops.AdminServer;
import dev.tollgate.server.ops.AdminServer.AdminRequest;
import dev.tollgate.server.ops.ConfigReload;
import dev.tollgate.server.ops.UpstreamGauges;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.binding.MaskedJson;
import java.util.Map;

/** Registers the handlers of the admin routes for providers, configuration, reload and drain. */
final class OperatorRoutes {
  private OperatorRoutes() {}

  static void open(
      AdminServer admin,
      Snapshots snapshots,
      ConfigReload<Snapshots.Snapshot> reload,
      UpstreamGauges gauges,
      Runnable drain) {
    admin.handle(AdminRoute.PROVIDERS, _ -> AdminReply.json(200, gauges.providers()));
    admin.handle(
        AdminRoute.CONFIG,
        _ -> AdminReply.json(MaskedJson.write(Settings.TYPE, snapshots.now().settings())));
    admin.handle(AdminRoute.RELOAD, request -> reloaded(reload.now(), request));
    admin.handle(
        AdminRoute.DRAIN,
        _ -> {
          drain.run();
          return AdminReply.text(202, "draining");
        });
  }

  private static AdminReply reloaded(ConfigReload.Result result, AdminRequest request) {
    return switch (result) {
      case ConfigReload.Result.Swapped _ -> AdminReply.text(200, "reloaded");
      case ConfigReload.Result.Refused refused ->
          AdminReply.error(
              ErrorCode.VALIDATION_FAILED,
              "the configuration was not reloaded; the old one stays in use",
              request.id(),
              Map.of("problems", refused.problems()));
    };
  }
}
