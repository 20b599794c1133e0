package dev.tollgate.server.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule for migrations refuses a small example of what it forbids, and nothing else. */
final class MigrationRulesTest {
  private static final String FOLDER = "m/src/main/resources/db/migration/";
  private static final int BASE = 12;
  private static final String FIRST =
      """
      -- expand
      CREATE TABLE old (a integer, b text);
      CREATE INDEX old_by_a ON old (a);
      -- The sum.
      CREATE FUNCTION settle(a integer, b text) RETURNS integer LANGUAGE sql
      SET search_path FROM CURRENT AS $$ SELECT 1; DROP TABLE x; $$;
      CREATE FUNCTION settle(a integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE fresh (a integer NOT NULL); CREATE INDEX fresh_by_a ON fresh (a);",
        "ALTER TABLE old ADD COLUMN c text, ADD COLUMN d integer NOT NULL DEFAULT 0;",
        "-- DROP TABLE old;\nINSERT INTO old VALUES (1, 'DROP TABLE old; it''s');",
        "CREATE FUNCTION settle_v2(a bigint) RETURNS integer LANGUAGE sql AS 'SELECT 1';",
        "CREATE OR REPLACE FUNCTION settle(\n  a integer, -- DROP\n  b text) RETURNS integer\n"
            + "LANGUAGE sql AS $f$ DROP TABLE old; $f$;"
      })
  void whatTheVersionBeforeCanBearExpands(String sql) {
    assertThat(violations("-- expand\n" + sql)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DROP TABLE old;",
        "drop function settle(integer);",
        "ALTER TABLE old DROP COLUMN a;",
        "ALTER TABLE old RENAME COLUMN a TO b;",
        "ALTER TABLE old ALTER COLUMN a TYPE bigint;",
        "ALTER TABLE old ALTER a SET DATA TYPE bigint;",
        "ALTER TABLE old ALTER COLUMN a SET NOT NULL;",
        "ALTER TABLE old ADD CHECK (a > 0);",
        "ALTER TABLE old ADD CONSTRAINT positive CHECK (a > 0);",
        "ALTER TABLE old ADD COLUMN c text NOT NULL, ADD COLUMN d integer NOT NULL DEFAULT 0;",
        "TRUNCATE old;",
        "UPDATE schema_floor SET min_migration = 13;"
      })
  void whatItCannotBearDoesNot(String sql) {
    assertThat(violations("-- expand\n" + sql)).hasSize(1);
    assertThat(
            violations(
                "-- contract after 1.4\n" + sql + "UPDATE schema_floor SET min_migration = 13;"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "UPDATE schema_floor SET min_migration = 12;",
        "UPDATE schema_floor SET min_migration = 14;"
      })
  void aContractionRaisesTheFloor(String sql) {
    assertThat(violations("-- contract after 1.4\n" + sql))
        .singleElement()
        .asString()
        .contains("floor");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-- Adds a table.\n",
        "-- contract\n",
        "-- contract after 12\n",
        "\n-- expand\n"
      })
  void aFileWithoutItsKindIsRefused(String head) {
    assertThat(violations(head + "CREATE TABLE fresh (a integer);")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE OR REPLACE FUNCTION settle(a bigint) RETURNS integer LANGUAGE sql AS 'SELECT 1';",
        "CREATE FUNCTION settle(a integer, b text, c text) RETURNS integer LANGUAGE sql AS $$ $$;",
        "CREATE OR REPLACE FUNCTION settle(a integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1';"
      })
  void aFunctionWithAnotherSignatureNeedsANameOfItsOwn(String sql) {
    assertThat(violations("-- expand\n" + sql)).singleElement().asString().contains("_v2");
  }

  @Test
  void anIndexOfATableThatIsThereIsMadeBesideItsWriters() {
    String sql =
        "-- expand\nDROP INDEX CONCURRENTLY IF EXISTS old_by_b;"
            + " CREATE INDEX CONCURRENTLY old_by_b ON old (b);";
    assertThat(MigrationRules.violations(with("V13__old_by_b_concurrently.sql", sql))).isEmpty();
    assertThat(violations(sql)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE INDEX CONCURRENTLY old_by_b ON old (b);",
        "DROP INDEX CONCURRENTLY IF EXISTS old_by_a;"
            + " CREATE INDEX CONCURRENTLY old_by_b ON old (b);",
        "DROP INDEX CONCURRENTLY IF EXISTS old_by_b;"
            + " CREATE INDEX CONCURRENTLY old_by_b ON old (b); CREATE TABLE fresh (a integer);"
      })
  void whatMakesOneCanBeginAnew(String sql) {
    assertThat(MigrationRules.violations(with("V13__index_concurrently.sql", "-- expand\n" + sql)))
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE INDEX old_by_b ON old (b);",
        "CREATE INDEX request_view_by_b ON old (b);",
        "CREATE UNIQUE INDEX old_by_b ON old USING btree (b);"
      })
  void anIndexThatStopsWritersIsRefused(String sql) {
    assertThat(violations("-- expand\n" + sql)).singleElement().asString().contains("CONCURRENTLY");
  }

  @Test
  void theProjectionWaitsForAnIndexOfTheRequestView() {
    String made = "CREATE INDEX request_view_by_b ON request_view (b);";
    assertThat(violations("-- expand\n" + made)).isEmpty();
    assertThat(violations("-- expand\nCREATE INDEX u ON usage_hour (b);")).isEmpty();
    assertThat(violations("-- expand\nDROP INDEX request_view_by_b;")).isEmpty();
    assertThat(violations("-- expand\nDROP INDEX old_by_a;")).hasSize(1);
    assertThat(violations("-- expand\nDROP TABLE request_view;")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET LOCAL lock_timeout = '60s';",
        "SET lock_timeout TO 0;",
        "RESET lock_timeout;",
        "SELECT set_config('lock_timeout', '0', true);"
      })
  void noMigrationWaitsLongerForALock(String sql) {
    assertThat(violations("-- expand\n" + sql)).hasSize(1);
  }

  @Test
  void aLongMigrationIsRefused() {
    assertThat(violations("-- expand\n" + "\n".repeat(499))).isEmpty();
    assertThat(violations("-- expand\n" + "\n".repeat(500))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"V14__later.sql", "V12__again.sql", "V013__zero.sql", "V13_one.sql", "x.sql"})
  void migrationsAreNumberedWithoutAGap(String name) {
    assertThat(MigrationRules.violations(with(name, "-- expand\n"))).hasSize(1);
  }

  @Test
  void otherSqlIsNoMigration() {
    assertThat(MigrationRules.violations(List.of(TrackedFile.of("m/src/x.sql", "DROP TABLE x;"))))
        .isEmpty();
  }

  private static List<String> violations(String sql) {
    return MigrationRules.violations(with("V13__next.sql", sql));
  }

  private static List<TrackedFile> with(String name, String sql) {
    List<TrackedFile> files = new ArrayList<>();
    files.add(TrackedFile.of(FOLDER + name, sql));
    files.add(TrackedFile.of(FOLDER + "V1__first.sql", FIRST));
    for (int n = 2; n <= BASE; n++) {
      files.add(TrackedFile.of(FOLDER + "V" + n + "__empty.sql", "-- expand\n"));
    }
    return files;
  }
}
