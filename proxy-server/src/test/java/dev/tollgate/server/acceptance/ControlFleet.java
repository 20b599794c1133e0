package dev.tollgate.server.acceptance;

import dev.tollgate.server.redis.RedisProcess;
import java.net.URI;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Three nodes with control planes, on one new database and one Redis. */
final class ControlFleet implements AutoCloseable {
  static final int NODES = 3;
  static final String MODEL = "test/chat";

  private static final List<String> SMALL = List.of("-Xmx256m");

  private final OwnDatabase database;
  private final RedisProcess redis = RedisProcess.start();
  private final List<NodeFolder> folders = new ArrayList<>();
  private final List<GatewayProcess> nodes = new CopyOnWriteArrayList<>();

  private ControlFleet(OwnDatabase database) {
    this.database = database;
  }

  /** Starts the first node, which creates an organization with a key, and then the others. */
  static ControlFleet start(String database) throws Exception {
    var fleet = new ControlFleet(OwnDatabase.create(database));
    try {
      for (int n = 0; n < NODES; n++) {
        fleet.folders.add(
            NodeFolder.with(
                ConfigBuilder.empty()
                    .mock("mock")
                    .model(MODEL, "mock", "mock-chat?chunks=2")
                    .control()));
      }
      fleet.nodes.add(fleet.started(0));
      fleet.nodes.addAll(fleet.startedAtOnce(List.of(1, 2)));
      return fleet;
    } catch (Exception | AssertionError e) {
      fleet.close();
      throw e;
    }
  }

  private List<GatewayProcess> startedAtOnce(List<Integer> numbers) throws Exception {
    List<Callable<GatewayProcess>> starts =
        numbers.stream().<Callable<GatewayProcess>>map(n -> () -> started(n)).toList();
    List<GatewayProcess> started = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(numbers.size())) {
      for (Future<GatewayProcess> each : threads.invokeAll(starts)) {
        started.add(each.get());
      }
    }
    return started;
  }

  private GatewayProcess started(int number) throws Exception {
    List<String> settings = new ArrayList<>(database.settings());
    settings.add("redis.url=" + redis.url());
    return GatewayProcess.start(folders.get(number), SMALL, settings.toArray(String[]::new));
  }

  GatewayProcess node(int number) {
    return nodes.get(number);
  }

  List<GatewayProcess> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the address of a node's dashboard. */
  URI control(int number) throws InterruptedException {
    return node(number).dashboard();
  }

  List<URI> controls() throws InterruptedException {
    List<URI> all = new ArrayList<>();
    for (GatewayProcess node : nodes) {
      all.add(node.dashboard());
    }
    return all;
  }

  /** Kills a node by SIGKILL, and starts it again. */
  void killAndRestart(int number) throws Exception {
    GatewayProcess killed = nodes.get(number);
    killed.kill();
    killed.close();
    nodes.set(number, started(number));
  }

  OwnDatabase database() {
    return database;
  }

  List<NodeFolder> folders() {
    return List.copyOf(folders);
  }

  @Override
  public void close() throws SQLException {
    nodes.forEach(GatewayProcess::close);
    folders.forEach(NodeFolder::close);
    redis.close();
    database.close();
  }
}
