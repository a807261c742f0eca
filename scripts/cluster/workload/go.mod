// What runs in the pods of tests: the program of a pod's sandbox, and a workload.
module mesh.test/workload

go 1.26.0
