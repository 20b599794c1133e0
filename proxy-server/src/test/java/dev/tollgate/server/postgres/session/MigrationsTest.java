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
              "d5be21ca1b9ae4014563c15a871abff140f7d06be3be2609a63f9d7349304209"),
          Map.entry(
              "V2__ledger_tables.sql",
              "46fef72f655082d4fc38435578c512d1ff726560b88002610e42db8dd50831ff"),
          Map.entry(
              "V3__request_log.sql",
              "603d31d7598e0ed331a0b441ed79ddd64160c22f0544bfa1bbc13b99b568f74b"),
          Map.entry(
              "V4__idempotency.sql",
              "ff69b8b40b3ade1570fa239c559e19957c0a8c1d93676ec56c0da2586e3bab49"),
          Map.entry(
              "V5__job_tables.sql",
              "f9ce473ac498f80894eab51c0a47012cdf6704c724c0b7280e488112512712be"),
          Map.entry(
              "V6__webhook_tables.sql",
              "c3ee787a73c038d30f9008135fb671e6600755bcd658d03abf5c139ecfb49fa2"),
          Map.entry(
              "V7__ledger_grants.sql",
              "10cd5e1b856088e7a25fc84efbafb5b7a424120786aa30cc7e8f2c202bea806d"),
          Map.entry(
              "V8__ledger_settlement.sql",
              "49628e01c7ce1cebba148aa542bd3dec04a899bc5443a7db3b6c3b287527d5fa"),
          Map.entry(
              "V9__ledger_nodes.sql",
              "4572b156a5cc89fbbcfdb4b1c8c592c6cc8865ad667bc19ff264c36734f9a8a6"),
          Map.entry(
              "V10__job_submission.sql",
              "fb31c07e85f3701c0c6e86c61f88284f1f2fbbcb13a85b91de645f9f1bd61ad4"),
          Map.entry(
              "V11__job_turns.sql",
              "682ed72be308788a48c1f20f01d20bc4f4ca7ed175d7114f578809eefb64926b"),
          Map.entry(
              "V12__webhooks.sql",
              "9ccca4be4c147c2092a5e0cfd918209091723627fe20975ff1d8232a4e82fc49"),
          Map.entry(
              "V13__refusal_counts.sql",
              "fafcf7ad34c7c15d633aaf72af6e1d80a703472b5d2bd5e9b120be278153a84f"),
          Map.entry(
              "V14__operator_cost.sql",
              "39d5005ae6e3594a37633166805ba13f6f15bdd81ad7aeba43c57af5329e40e1"),
          Map.entry(
              "V15__ledger_days_behind_the_lock.sql",
              "5664addb7aa98ab23a091c36862fab72496d57794a87b13f1881053997c21306"),
          Map.entry(
              "V16__key_lineage.sql",
              "073bf6fac7a0a174f5bd71a6e8c742daf5412d0f63e853f8c573413de9149bf1"),
          Map.entry(
              "V17__people.sql",
              "0da02247883a9142c76053a250b180521b30683467c2a8a3800bd42f48922121"),
          Map.entry(
              "V18__control_of_tenants.sql",
              "e4608dc5366cac523afbfaf58f09ff1903fb9ffcb66652d756318377990fc34c"),
          Map.entry(
              "V19__request_view.sql",
              "11ff5460695fd88ccd9cb68065f7262a394d6573d11752ead928e7b3df00dff8"),
          Map.entry(
              "V20__price_sheet.sql",
              "5b0b18b53eb5847c6ae677d29ed99d74c9e8ef672a05ea0afdaef876fc935ac2"),
          Map.entry(
              "V21__request_view_in_the_database.sql",
              "fd5b5293cfe7ef1ad42505a87780fa0e434d433cd10f861267c5269875a936d0"),
          Map.entry(
              "V22__request_view_scans.sql",
              "d32b442a1a0da092643c650994f163e61dc6634ea8820744d7636e9fa0b68d7e"),
          Map.entry(
              "V23__request_view_indexes.sql",
              "6519741c37810bacc68c2c70a4a15cb4b45a6fb7bed850bc239de7efbcc7261e"),
          Map.entry(
              "V24__usage_hour_counts.sql",
              "9a4f4f101066a2970779792f6b67a94e0caa9277ad9d4e1539484855ae194727"),
          Map.entry(
              "V25__spending_alert.sql",
              "b8fba2cb9f23f3d4e6184957422932119ca0dc0056822e573008e7aeb1220b3c"),
          Map.entry(
              "V26__operator_cost_of_routes.sql",
              "dc6051766e9f419a0ea3336bc8c0177db238b90efbaf76b86cb1a5cd45abc830"),
          Map.entry(
              "V27__refusal_counts_by_org_concurrently.sql",
              "3a53cc1a7e722e32a82c0849d5dfa424ecbb104302f3076e36f21bc245d4cf92"),
          Map.entry(
              "V28__usage_hour_fillfactor.sql",
              "293b52da702f0135103b3280d95907a7321f3c8f941d8e66e52c4ecc7ea7342c"));

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
