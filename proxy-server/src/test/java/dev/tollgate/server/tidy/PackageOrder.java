package dev.tollgate.server.tidy;

import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who may see whom: a package of proxy-core sees only packages above it, a package of proxy-server
 * the core and the settings; only the wiring sees all, and only the command line the wiring.
 */
final class PackageOrder {
  /** The packages of proxy-core in reading order. */
  static final List<String> CORE =
      List.of(
          "id",
          "money",
          "fault",
          "json",
          "sse",
          "http",
          "address",
          "tenant",
          "ledger",
          "catalog",
          "aws",
          "limit",
          "claim",
          "dialect",
          "routing",
          "upstream",
          "blob",
          "job",
          "fetch",
          "webhook",
          "endpoint",
          "exchange",
          "pipeline");

  /** The packages of proxy-server, in no order: what each may see is decided by name. */
  static final Set<String> SERVER =
      Set.of(
          "settings",
          "postgres",
          "redis",
          "ledger",
          "blob",
          "jobs",
          "mock",
          "oauth",
          "ops",
          "webhook",
          "bench",
          "wiring",
          "cli");

  /** In a constant pool every class, descriptor and signature is text that holds the whole name. */
  private static final Pattern OURS =
      Pattern.compile(
          "dev/tollgate/((core|server)/([a-z0-9]+)(?:/[a-z0-9]+)*)/(?:[A-Z]|package-info)");

  private PackageOrder() {}

  static List<String> violations(Collection<ClassModel> classes) {
    Set<String> found = new TreeSet<>();
    Set<List<String>> pairs = new HashSet<>();
    for (ClassModel model : classes) {
      String name = model.thisClass().asInternalName();
      House from = House.of(name);
      if (from == null || !from.known()) {
        found.add(name + " is in a package that is not in the order");
        continue;
      }
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
    return new ArrayList<>(found);
  }

  private static Set<House> references(ClassModel model) {
    Set<House> found = new HashSet<>();
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof Utf8Entry text) {
        Matcher ours = OURS.matcher(text.stringValue());
        while (ours.find()) {
          found.add(new House(ours.group(1), ours.group(2), ours.group(3)));
        }
      }
    }
    return found;
  }

  /** A package of ours: its path, its module and the name that the order knows. */
  private record House(String path, String module, String name) {

    static @Nullable House of(String className) {
      Matcher ours = OURS.matcher(className);
      return ours.lookingAt() ? new House(ours.group(1), ours.group(2), ours.group(3)) : null;
    }

    boolean isCore() {
      return module.equals("core");
    }

    boolean known() {
      return isCore() ? CORE.contains(name) : SERVER.contains(name);
    }

    boolean maySee(House other) {
      if (module.equals(other.module) && name.equals(other.name)) {
        return true;
      }
      if (isCore()) {
        return other.isCore() && CORE.indexOf(other.name) < CORE.indexOf(name);
      }
      return other.isCore()
          || other.name.equals("settings")
          || switch (name) {
            case "wiring" -> !other.name.equals("cli");
            // Verbs that work without a gateway reach what they work on directly.
            case "cli" -> Set.of("wiring", "postgres", "mock", "bench").contains(other.name);
            default -> false;
          };
    }
  }
}
