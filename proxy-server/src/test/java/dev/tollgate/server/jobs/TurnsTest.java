package dev.tollgate.server.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.job.JobKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TurnsTest {
  private long nanos;
  private final JobBook book = new JobBook();

  private Turns turns(int workers) {
    return new Turns(workers, () -> nanos);
  }

  private List<ClaimedJob> jobs(int count) throws Exception {
    for (int n = 0; n < count; n++) {
      book.add(JobKind.VIDEO, "{}").provider = n == 0 ? "slow" : "quick";
    }
    return book.claim(JobBook.TTL, count);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 2", "4, 3", "8, 6", "256, 192"})
  void aWorkerInFourIsLeftToOtherProviders(int workers, int share) {
    assertThat(turns(workers).next(1).share()).isEqualTo(share);
  }

  @Test
  void whatIsInWorkIsCountedByItsProvider() throws Exception {
    Turns turns = turns(4);
    List<ClaimedJob> jobs = jobs(3);
    turns.taken(jobs);
    assertThat(turns.next(1).inWork()).isEqualTo(Map.of("slow", 1, "quick", 2));
    turns.ended(jobs.get(0));
    turns.ended(jobs.get(1));
    assertThat(turns.next(1).inWork()).isEqualTo(Map.of("quick", 1));
  }

  @Test
  void theNextTurnBeginsBehindTheLastOneOrAnywhere() throws Exception {
    Turns turns = turns(4);
    List<ClaimedJob> jobs = jobs(2);
    turns.taken(jobs);
    assertThat(turns.next(1))
        .returns(jobs.getLast().job().org(), Turn::lastOrg)
        .returns("quick", Turn::lastProvider);
    turns.taken(List.of());
    assertThat(turns.next(1).lastOrg()).isNotEqualTo(jobs.getLast().job().org());
  }

  @Test
  void aFullProviderIsLeftAloneForASecond() {
    Turns turns = turns(4);
    turns.full("slow");
    assertThat(turns.next(1).closed()).containsExactly("slow");
    nanos += 999_999_999;
    assertThat(turns.next(1).closed()).containsExactly("slow");
    nanos++;
    assertThat(turns.next(1).closed()).isEmpty();
  }
}
