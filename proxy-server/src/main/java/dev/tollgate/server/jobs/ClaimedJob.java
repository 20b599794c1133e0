package dev.tollgate.server.jobs;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * A job that a worker took up, as it was then by the database's clock.
 *
 * @param worker under whose name it is held
 * @param params the request as it was accepted, a JSON object
 * @param reserved what is held for it
 * @param providerJob what the provider calls it; empty: nobody knows yet
 * @param tries how often in a row nothing was learned
 * @param age since it was submitted to us
 * @param intended whether the provider may have heard of it
 * @param demand what it waits for besides
 */
public record ClaimedJob(
    UUID id,
    String worker,
    OrgId org,
    String requestId,
    Modality kind,
    ModelId model,
    ProviderId provider,
    Stage stage,
    String params,
    MicroUsd reserved,
    Optional<String> providerJob,
    int tries,
    Duration age,
    boolean intended,
    Demand demand) {

  /** How far it came; what is over is not claimed. */
  public enum Stage {
    QUEUED,
    SUBMITTED,
    RUNNING
  }

  /** Whether it is to end before it is done. */
  public enum Demand {
    NONE,
    CANCEL,
    /** Its time is over. */
    EXPIRE
  }
}
