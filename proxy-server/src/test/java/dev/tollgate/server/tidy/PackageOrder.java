package dev.tollgate.server.tidy;

import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The order of packages. A package of proxy-core sees only packages above it. A package of
 * proxy-server sees the core, packages of the settings above it, and those that {@link #SERVER}
 * names; only wiring sees all, and only the command line sees wiring. The mock provider and the
 * benchmark driver see the core alone. No package has more than {@value #FILES_MAX} files.
 */
final class PackageOrder {
  static final int FILES_MAX = 50;

  /** The packages of proxy-core in reading order. */
  static final List<String> CORE =
      List.of(
          "id",
          "money",
          "fault",
          "json",
          "sse",
          "http",
          "http.multipart",
          "net",
          "tenant",
          "ledger",
          "catalog",
          "aws",
          "limit",
          "idempotency",
          "dialect",
          "dialect.message",
          "dialect.tool",
          "dialect.openai",
          "dialect.anthropic",
          "dialect.gemini",
          "dialect.bedrock",
          "dialect.cohere",
          "dialect.ollama",
          "dialect.registry",
          "routing",
          "upstream.loop",
          "upstream",
          "storage",
          "storage.s3",
          "job",
          "egress",
          "webhook",
          "prompt",
          "api",
          "api.audio",
          "api.chat",
          "api.responses",
          "api.completion",
          "api.embedding",
          "api.speech",
          "api.image",
          "api.account",
          "exchange.frame",
          "exchange.attempt",
          "exchange.media",
          "exchange.download",
          "exchange",
          "pipeline");

  /**
   * The packages of proxy-server and which others each may see, the core and the settings apart.
   * {@code x.*} stands for x and the packages below it.
   */
  static final Map<String, Set<String>> SERVER =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("settings.value", Set.of()),
              Map.entry("settings.yaml", Set.of()),
              Map.entry("settings.binding", Set.of()),
              Map.entry("settings", Set.of()),
              Map.entry("postgres.embedded", Set.of()),
              Map.entry("postgres.session", Set.of("postgres.embedded")),
              Map.entry("postgres.tenants", Set.of("postgres.embedded", "postgres.session")),
              Map.entry(
                  "postgres.ledger",
                  Set.of("postgres.embedded", "postgres.session", "postgres.tenants")),
              Map.entry("postgres.idempotency", Set.of("postgres.embedded", "postgres.session")),
              Map.entry("postgres.jobs", Set.of("postgres.embedded", "postgres.session")),
              Map.entry(
                  "postgres.webhook",
                  Set.of("postgres.embedded", "postgres.session", "postgres.tenants")),
              Map.entry("postgres.backup", Set.of("postgres.embedded", "postgres.session")),
              Map.entry("postgres", Set.of("postgres.*")),
              Map.entry("redis", Set.of()),
              Map.entry("metrics", Set.of()),
              Map.entry("outage", Set.of()),
              Map.entry("ops", Set.of("metrics", "outage")),
              Map.entry("dns", Set.of()),
              Map.entry("warmup", Set.of("metrics", "ops", "mock.*")),
              Map.entry("oauth", Set.of()),
              Map.entry("storage", Set.of()),
              Map.entry("ledger", Set.of("outage", "postgres.ledger")),
              Map.entry("jobs", Set.of("outage", "postgres.jobs")),
              Map.entry("webhook", Set.of("outage", "postgres.jobs")),
              Map.entry("keys", Set.of("postgres.session", "postgres.tenants", "oauth")),
              Map.entry("maintenance", Set.of("metrics", "ops", "outage", "postgres.*")),
              Map.entry("account", Set.of("postgres.*")),
              Map.entry("control.route", Set.of("account.*", "explorer")),
              Map.entry("control", Set.of("account.*", "control.route", "metrics", "outage")),
              Map.entry("mail", Set.of("outage", "postgres.*")),
              Map.entry("account.signin", Set.of("account", "mail", "postgres.*")),
              Map.entry("account.org", Set.of("postgres.*", "account", "account.signin")),
              Map.entry("account.tenant", Set.of("postgres.*", "account")),
              Map.entry("explorer", Set.of("metrics", "outage", "postgres.*")),
              Map.entry("wiring", Set.of("*")),
              Map.entry("cli.output", Set.of()),
              Map.entry("cli.option", Set.of("postgres.ledger")),
              Map.entry("cli.gateway", Set.of("cli.option", "cli.output")),
              // Verbs that work without a gateway reach what they work on directly.
              Map.entry(
                  "cli",
                  Set.of(
                      "cli.*",
                      "wiring",
                      "control.route",
                      "keys",
                      "explorer",
                      "account",
                      "account.*",
                      "mail",
                      "postgres.*",
                      "mock.*",
                      "bench"))));

  /** The modules under loadtest: what each of their packages sees of ours, itself apart. */
  static final List<String> LOADTEST = List.of("mock", "mock.demo", "mock.media", "bench");

  /** In a constant pool every class, descriptor and signature is text that holds the whole name. */
  private static final Pattern OURS =
      Pattern.compile(
          "dev/tollgate/(?:(core|server)/)?([a-z0-9]+(?:/[a-z0-9]+)*)/(?:[A-Z]|package-info)");

  private PackageOrder() {}

  static List<String> violations(Collection<ClassModel> classes) {
    Set<String> found = new TreeSet<>();
    Set<List<String>> pairs = new HashSet<>();
    Map<String, Set<String>> files = new TreeMap<>();
    for (ClassModel model : classes) {
      String name = model.thisClass().asInternalName();
      House from = House.of(name);
      if (from == null || !from.known()) {
        found.add(name + " is in a package that is not in the order");
        continue;
      }
      files.computeIfAbsent(from.path(), _ -> new HashSet<>()).add(name.split("\\$", 2)[0]);
      for (House to : references(model)) {
        if (!from.maySee(to)) {
          found.add(name + " must not see " + to.path());
        }
        if (!from.path().equals(to.path())) {
          pairs.add(List.of(from.path(), to.path()));
        }
      }
    }
    for (List<String> pair : pairs) {
      if (pair.getFirst().compareTo(pair.getLast()) < 0 && pairs.contains(pair.reversed())) {
        found.add(pair.getFirst() + " and " + pair.getLast() + " see each other");
      }
    }
    files.forEach(
        (path, names) -> {
          if (names.size() > FILES_MAX) {
            found.add(path + " has " + names.size() + " files, more than " + FILES_MAX);
          }
        });
    return new ArrayList<>(found);
  }

  private static Set<House> references(ClassModel model) {
    Set<House> found = new HashSet<>();
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof Utf8Entry text) {
        Matcher ours = OURS.matcher(text.stringValue());
        while (ours.find()) {
          found.add(House.of(ours));
        }
      }
    }
    return found;
  }

  /** A package of ours: its module, empty for those under loadtest, and the name in the order. */
  private record House(String module, String name) {

    static @Nullable House of(String className) {
      Matcher ours = OURS.matcher(className);
      return ours.lookingAt() ? of(ours) : null;
    }

    static House of(Matcher ours) {
      String module = ours.group(1) == null ? "" : ours.group(1);
      return new House(module, ours.group(2).replace('/', '.'));
    }

    String path() {
      return (module.isEmpty() ? "" : module + "/") + name.replace('.', '/');
    }

    boolean isCore() {
      return module.equals("core");
    }

    boolean known() {
      return switch (module) {
        case "core" -> CORE.contains(name);
        case "server" -> SERVER.containsKey(name);
        default -> LOADTEST.contains(name);
      };
    }

    boolean maySee(House other) {
      if (equals(other)) {
        return true;
      }
      if (isCore()) {
        return other.isCore() && CORE.indexOf(other.name) < CORE.indexOf(name);
      }
      if (module.isEmpty()) {
        return other.isCore() || isAbove(other);
      }
      return other.isCore() || isSettings(other) || isNamed(other);
    }

    /** A package under loadtest sees those below it, not the other way round. */
    private boolean isAbove(House other) {
      return other.module.isEmpty() && other.name.startsWith(name + ".");
    }

    private static boolean isSettings(House other) {
      return other.module.equals("server") && other.name.split("\\.", 2)[0].equals("settings");
    }

    private boolean isNamed(House other) {
      for (String named : SERVER.getOrDefault(name, Set.of())) {
        String whole = named.endsWith(".*") ? named.substring(0, named.length() - 2) : named;
        if (named.equals("*") ? !other.name.matches("cli(\\..*)?") : other.name.equals(whole)) {
          return true;
        }
        if (named.endsWith(".*") && other.name.startsWith(whole + ".")) {
          return true;
        }
      }
      return false;
    }
  }
}
