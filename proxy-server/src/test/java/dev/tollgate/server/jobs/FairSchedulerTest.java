package dev.tollgate.server.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.job.JobKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FairSchedulerTest {
  private long nanos;
  private final InMemoryJobStore jobStore = new InMemoryJobStore();

  private FairScheduler turns(int workers) {
    return new FairScheduler(workers, () -> nanos);
  }

  private List<ClaimedJob> jobs(int count) throws Exception {
    for (int n = 0; n < count; n++) {
      jobStore.add(JobKind.VIDEO, "{}").provider = n == 0 ? "slow" : "quick";
    }
    return jobStore.claim(InMemoryJobStore.TTL, count);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 2", "4, 3", "8, 6", "256, 192"})
  void aWorkerInFourIsLeftToOtherProviders(int workers, int share) {
    assertThat(turns(workers).nextClaim(1).share()).isEqualTo(share);
  }

  @Test
  void whatIsInWorkIsCountedByItsProvider() throws Exception {
    FairScheduler turns = turns(4);
    List<ClaimedJob> jobs = jobs(3);
    turns.claimed(jobs);
    assertThat(turns.nextClaim(1).inWork()).isEqualTo(Map.of("slow", 1, "quick", 2));
    turns.ended(jobs.get(0));
    turns.ended(jobs.get(1));
    assertThat(turns.nextClaim(1).inWork()).isEqualTo(Map.of("quick", 1));
  }

  @Test
  void theNextTurnBeginsBehindTheLastOneOrAnywhere() throws Exception {
    FairScheduler turns = turns(4);
    List<ClaimedJob> jobs = jobs(2);
    turns.claimed(jobs);
    assertThat(turns.nextClaim(1))
        .returns(jobs.getLast().job().org(), JobClaimOptions::lastOrg)
        .returns("quick", JobClaimOptions::lastProvider);
    turns.claimed(List.of());
    assertThat(turns.nextClaim(1).lastOrg()).isNotEqualTo(jobs.getLast().job().org());
  }

  @Test
  void aFullProviderIsLeftAloneForASecond() {
    FairScheduler turns = turns(4);
    turns.providerFull("slow");
    assertThat(turns.nextClaim(1).closedProviders()).containsExactly("slow");
    nanos += 999_999_999;
    assertThat(turns.nextClaim(1).closedProviders()).containsExactly("slow");
    nanos++;
    assertThat(turns.nextClaim(1).closedProviders()).isEmpty();
  }
}
