package dev.tollgate.server.tidy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules of docs/decisions/migrations.md that can be read off a file: a migration may run while
 * nodes of the version before serve, unless it says after which release it may not.
 */
final class MigrationRules {
  /** The last file of the set that the first release began with. */
  private static final int BASE = 12;

  private static final int LINES_MAX = 500;
  private static final Pattern NAME = Pattern.compile("V([1-9]\\d*)__[a-z0-9]+(_[a-z0-9]+)*\\.sql");
  private static final Pattern CONTRACT = Pattern.compile("-- contract after \\d+\\.\\d+");
  private static final String EXPAND = "-- expand";

  /** What nodes of the version before could not bear. */
  private static final Pattern CONTRACTS =
      pattern(
          "^TRUNCATE\\b|\\b(DROP|RENAME|SET NOT NULL)\\b"
              + "|\\bALTER (COLUMN )?\\S+ (SET DATA )?TYPE\\b"
              + "|\\bADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY|EXCLUDE)\\b");

  private static final Pattern ADDED = pattern("\\bADD \\w+.*\\bNOT NULL\\b");
  private static final Pattern FILLED = pattern("\\b(DEFAULT|GENERATED)\\b");
  private static final Pattern FLOOR =
      pattern("^UPDATE schema_floor SET min_migration = (\\d+)(?: |$)");
  private static final Pattern TABLE = pattern("^CREATE TABLE (?:IF NOT EXISTS )?(\\w+)");
  private static final Pattern INDEX =
      pattern("^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(\\w+) ON (?:ONLY )?(\\w+)");

  /** Nothing writes to these but the projection, which waits. */
  private static final Set<String> PROJECTED = Set.of("request_view", "usage_hour");

  private static final String VIEW_INDEX = "DROP INDEX request_view_";

  private static final Pattern LOCK_TIMEOUT =
      pattern("^(RE)?SET (LOCAL |SESSION )?lock_timeout\\b|set_config\\('lock_timeout'");
  private static final Pattern FUNCTION = pattern("^CREATE (?:OR REPLACE )?FUNCTION (\\w+) ?\\(");
  private static final Pattern END_OF_SIGNATURE =
      pattern(
          " (LANGUAGE|AS|SET|IMMUTABLE|STABLE|VOLATILE|STRICT|PARALLEL|COST|ROWS|RETURN"
              + "|SECURITY)\\b");

  private final Map<String, Set<String>> signatures = new HashMap<>();
  private final List<String> found = new ArrayList<>();
  private TrackedFile file = TrackedFile.of("", "");
  private int number;

  private MigrationRules() {}

  static List<String> violations(Collection<TrackedFile> files) {
    return new MigrationRules().read(files);
  }

  private static Pattern pattern(String regex) {
    return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  }

  private List<String> read(Collection<TrackedFile> files) {
    List<TrackedFile> migrations = new ArrayList<>();
    for (TrackedFile each : files) {
      if (each.isMigration()) {
        file = each;
        if (NAME.matcher(each.name()).matches()) {
          migrations.add(each);
        } else {
          refuse("is not named like V12__what_it_is_about.sql");
        }
      }
    }
    migrations.sort(Comparator.comparingInt(MigrationRules::numberOf));
    int expected = 1;
    for (TrackedFile each : migrations) {
      file = each;
      number = numberOf(each);
      if (number != expected) {
        refuse("should have the number " + expected);
      }
      expected = number + 1;
      migration();
    }
    return found;
  }

  private static int numberOf(TrackedFile file) {
    Matcher name = NAME.matcher(file.name());
    return name.matches() ? Integer.parseInt(name.group(1)) : 0;
  }

  private void refuse(String why) {
    found.add(file.path() + " " + why);
  }

  private void migration() {
    List<String> lines = file.lines();
    if (lines.size() > LINES_MAX) {
      refuse("has " + lines.size() + " lines, more than " + LINES_MAX);
    }
    String head = lines.isEmpty() ? "" : lines.getFirst();
    List<String> statements = SqlStatements.of(file.text());
    functions(statements);
    if (CONTRACT.matcher(head).matches()) {
      floor(statements);
    } else if (head.equals(EXPAND)) {
      expand(statements);
    } else {
      refuse("begins neither with '-- expand' nor with '-- contract after' a release");
    }
    boolean isConcurrent = statements.stream().anyMatch(each -> each.contains(" CONCURRENTLY "));
    if (isConcurrent != file.name().endsWith("_concurrently.sql")) {
      refuse("makes an index CONCURRENTLY, or is named as if it did");
    }
    if (isConcurrent) {
      concurrently(statements);
    } else {
      indexes(statements);
    }
    timeouts(statements);
  }

  private void expand(List<String> statements) {
    for (String each : statements) {
      Matcher contracts = CONTRACTS.matcher(each.replaceAll("'[^']*'", "''"));
      if (contracts.find()
          && !each.startsWith("DROP INDEX CONCURRENTLY IF EXISTS ")
          && !each.startsWith(VIEW_INDEX)) {
        refuse("expands, and holds " + contracts.group());
      }
      for (String part : each.split(", ?(?=ADD )", -1)) {
        if (ADDED.matcher(part).find() && !FILLED.matcher(part).find()) {
          refuse("adds a column that nodes of the version before do not fill: " + part);
        }
      }
      if (FLOOR.matcher(each).find()) {
        refuse("expands, and raises the floor");
      }
    }
  }

  private void floor(List<String> statements) {
    boolean isRaised =
        statements.stream()
            .map(FLOOR::matcher)
            .filter(Matcher::find)
            .mapToInt(each -> Integer.parseInt(each.group(1)))
            .anyMatch(min -> min > BASE && min <= number);
    if (!isRaised) {
      refuse("contracts, and does not raise schema_floor to a number up to its own");
    }
  }

  /** An index of a table with rows is made beside those who write, in a file of its own. */
  private void indexes(List<String> statements) {
    Set<String> made = new HashSet<>(PROJECTED);
    for (String each : statements) {
      Matcher table = TABLE.matcher(each);
      if (table.find()) {
        made.add(table.group(1));
      }
      Matcher index = INDEX.matcher(each);
      if (index.find() && !made.contains(index.group(3))) {
        refuse("makes an index of a table that is there without CONCURRENTLY: " + index.group(2));
      }
    }
  }

  /** Such a file runs outside of a transaction: it must be able to begin anew half-way. */
  private void concurrently(List<String> statements) {
    Matcher index = INDEX.matcher(statements.getLast());
    boolean beginsAnew =
        statements.size() == 2
            && index.find()
            && statements.getFirst().equals("DROP INDEX CONCURRENTLY IF EXISTS " + index.group(2));
    if (!beginsAnew) {
      refuse(
          "makes an index CONCURRENTLY, and is not two statements: DROP INDEX CONCURRENTLY IF"
              + " EXISTS of its name, and CREATE INDEX CONCURRENTLY");
    }
  }

  /** Before each migration it is set to two seconds. */
  private void timeouts(List<String> statements) {
    statements.stream()
        .filter(each -> LOCK_TIMEOUT.matcher(each).find())
        .forEach(each -> refuse("changes lock_timeout"));
  }

  /** Nodes of two versions call a function by its name: another signature needs another name. */
  private void functions(List<String> statements) {
    Map<String, Set<String>> here = new HashMap<>();
    for (String each : statements) {
      Matcher function = FUNCTION.matcher(each);
      if (function.find()) {
        Matcher end = END_OF_SIGNATURE.matcher(each);
        int from = each.indexOf(')', function.end());
        String signature =
            (end.find(from) ? each.substring(function.end(), end.start()) : each)
                .replaceAll(" ?([(),]) ?", "$1")
                .strip();
        String name = function.group(1);
        Set<String> known = signatures.getOrDefault(name, Set.of());
        if (number > BASE && !known.isEmpty() && !known.contains(signature)) {
          refuse("makes " + name + " with another signature: it needs a name of its own, _v2");
        }
        here.computeIfAbsent(name, _ -> new HashSet<>()).add(signature);
      }
    }
    here.forEach((name, its) -> signatures.computeIfAbsent(name, _ -> new HashSet<>()).addAll(its));
  }
}
