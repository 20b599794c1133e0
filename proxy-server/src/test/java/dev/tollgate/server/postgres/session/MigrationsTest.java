package dev.tollgate.server.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Stores out there have run these files, and a start on one of them refuses a file that was changed
 * since: what is wrong with one is put right by another, which is listed here when it lands.
 */
final class MigrationsTest {
  private static final Map<String, String> LANDED =
      Map.ofEntries(
          Map.entry(
              "V1__tenants.sql",
              "31f8a09a25d6d49dca04724d874b5ae5b18678aa6ac850889988f57db8e062a1"),
          Map.entry(
              "V2__ledger.sql", "08f7936c0e2f57fadecab10db14a659eee4e397d67af4a1b19d8a408c7fe899e"),
          Map.entry(
              "V3__request_log_by_time.sql",
              "80cfd4a8a316e4c56ad74e25eafb147ac65faf4dd17a8cc1d865153b6418a7fd"),
          Map.entry(
              "V4__ledger_numbers.sql",
              "44f8867bc01ab75294a864d1f7aa93e50c434281e279024e286a2b47e7821c91"),
          Map.entry(
              "V5__books_identity.sql",
              "b506d9ab53ed80fe30f63292c24d04c4cfbb78b3ca06c88f284f7ba2ecec2ba5"),
          Map.entry(
              "V6__ledger_days.sql",
              "924668343ccc6a8694b7f9b876c1fbd537a29ec633e8f23cc25f0df8b074f924"),
          Map.entry(
              "V7__request_log_text.sql",
              "294c980885a0fc3e98594439ccd8e9cf125f8c1db225f241536015e1b5ed9b3a"),
          Map.entry(
              "V8__settle_new_charges.sql",
              "b9186675e273e69091a2c3a4e3b53e3e3d8640fada4cd3fec2b6a07285aa4a6a"),
          Map.entry(
              "V9__recalls_end.sql",
              "b33a8db8666aef88363e1c4aa19e7d3357d6f276d2b891c069725e376a640f6c"),
          Map.entry(
              "V10__closed_leases_are_told.sql",
              "7ca44f1ddb6841aca02cb914a95e9db6772dc2086f14bf2abc4d2aa47e77dc99"),
          Map.entry(
              "V11__quarantine_ends.sql",
              "9808bc2c06205963d4c3b6a41f1d1122886ab414f029bbe4ba3642039bfb968a"),
          Map.entry(
              "V12__leases_end_in_portions.sql",
              "b97693b73aeec53fdc00e109c642ff4e16796110c314484503dddbf01d4cc091"),
          Map.entry(
              "V13__idempotency.sql",
              "9d60de26d9568671f9bbfb45dc56a9ca0eda0cfd5d31799357094bae0a15c38f"),
          Map.entry(
              "V14__idempotency_is_read.sql",
              "ec84b0f42de541ef53e5e7ed09113d56afa2d5a97d4a655df98abd650bb86359"),
          Map.entry(
              "V15__media_jobs.sql",
              "8be0f6559cee2ca6811985e7eac0b57de66c85d6eaa681fff009d857212446e1"),
          Map.entry(
              "V16__webhooks.sql",
              "af1a5f6f9f4fa8bd1fad608b2c845bbf9571a9f12fdeaa756446e425815fbe34"),
          Map.entry(
              "V17__job_files.sql",
              "932dd3c0d816f2b4aa6f3b6880495d1102598f36b2fc16c2a22198315bb8d686"),
          Map.entry(
              "V18__webhooks_apart.sql",
              "298a0a52a6266186c1fa49a215dd292091c08e079a8df5078682da8c5b05eb9a"),
          Map.entry(
              "V19__job_turns.sql",
              "50228968183e006de62eb3cd4e4277c8143d97f47fceef4feeccd2d87461017a"),
          Map.entry(
              "V20__job_images.sql",
              "805e87ec9b25a4e1b93f5dd7a92156ba34888a6501ff27d626c5063807df8693"),
          Map.entry(
              "V21__sealed_secrets.sql",
              "e8430bdb091568ee18fea1c45eebc507230befd78159df2b42a5d77604e9d38e"),
          Map.entry(
              "V22__job_intents.sql",
              "e2cfedffcc663053f736c8e39801e2624262db7bcbc5bf855c506fc47fda9beb"),
          Map.entry(
              "V23__plans_of_jobs.sql",
              "ad70485b0b1300ba113ce78452d7dec83f3f67d5b9c01ff0f9ce3a1c0b06f646"),
          Map.entry(
              "V24__plans_of_lookups.sql",
              "f1dfaf6a2f4a41b640818dcc16526f218c72bd0084dfdeed91cc7e30403322d7"),
          Map.entry(
              "V25__plans_of_steps.sql",
              "e88433246972d49ff404f9dc3aa1bdd0cc4352c0867091d23d5336bfda53eca1"),
          Map.entry(
              "V26__tokens_of_closed_days.sql",
              "9ad359d5ba5c68f91ca886a79ef44c34fed0d8529faa977d7a06989373a5a542"));

  @Test
  void noMigrationIsChangedAfterItLanded() throws Exception {
    Map<String, String> shipped = new TreeMap<>();
    Path folder = Path.of(MigrationsTest.class.getResource("/db/migration").toURI());
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        shipped.put(String.valueOf(file.getFileName()), HexFormat.of().formatHex(hash));
      }
    }
    assertThat(shipped).containsExactlyInAnyOrderEntriesOf(LANDED);
  }
}
