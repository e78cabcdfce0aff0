/** Numbers of jobs of a kind. */
export interface JobCounts {
  kind: string;
  /** Due later: new ones, and those between two attempts. */
  waiting: number;
  /** Due and not begun. */
  due: number;
  /** Being run. */
  leased: number;
  /** Failed for good. */
  dead: number;
  /** Since when the oldest of `due` is due, in ms. */
  oldestDue: number | null;
}

/** A job whose attempts are spent. */
export interface DeadJob {
  id: string;
  kind: string;
  lane: string;
  attempts: number;
  /** In ms. */
  madeAt: number;
  /** Of the last attempt. */
  error: string;
}

export interface JobOverview {
  kinds: JobCounts[];
  /** Some of those that are dead; `limits.listedDeadJobs` at most. */
  dead: DeadJob[];
  /** False when only the first `limits.countedJobs` were counted. */
  isWhole: boolean;
}

/** The queue of jobs, for its operator. */
export interface JobQueue {
  overview(): Promise<JobOverview>;
  /** Kind and arguments of a dead job; null where no dead job has the id. */
  dead(id: string): Promise<{ kind: string; args: unknown } | null>;
  /** Removes a dead job. False where no dead job has the id. */
  discard(id: string): Promise<boolean>;
  /**
   * Time at which a job that waits in a lane is due, in ms of the wall clock. Null where none of
   * the first `limits.countedJobs` of the lane has the id, or it is being performed.
   */
  dueAt(lane: string, id: string): Promise<number | null>;
  /** Makes a job of a lane due now that waits for its next attempt. False where none waits. */
  hurry(lane: string, id: string): Promise<boolean>;
  /** Makes a dead job due now, with all its attempts. False where no dead job has the id. */
  retry(id: string): Promise<boolean>;
}
